# SPDX-License-Identifier: Apache-2.0
"""For MkDocs: pages of docs/ also link to files of the project beside it, which a site does not have. There such a
link is its text and the file's path. Headings get the anchors that repositories' web views give them, which the pages
use."""

import posixpath
import re

LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def slug(text, separator):
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", separator)


def on_config(config, **_):
    config.mdx_configs.setdefault("toc", {})["slugify"] = slug
    return config


def on_page_markdown(markdown, page, **_):
    folder = posixpath.dirname(page.file.src_uri)

    def put_right(link):
        image, text, target = link.groups()
        if image or "://" in target or target.startswith("#"):
            return link[0]
        path = posixpath.normpath(posixpath.join(folder, target.split("#")[0]))
        if path.startswith("../"):
            return f"{text} (`{path[3:]}`)"
        return f"{text} (`docs/{path}`)" if path.startswith("notebooks/") else link[0]

    fenced = re.split(r"(^```.*?^```$)", markdown, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if part.startswith("```") else LINK.sub(put_right, part) for part in fenced)
