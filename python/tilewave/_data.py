# SPDX-License-Identifier: Apache-2.0
"""Tells the simulator where its presets and the parts of its pages lie."""

import pathlib

from tilewave import _core

_FOLDER = pathlib.Path(__file__).parent / "data"

# In the source tree (an editable installation) there is none: then the source's configs/ are taken.
if _FOLDER.is_dir():
    _core.set_data_folder(str(_FOLDER))
