# SPDX-License-Identifier: Apache-2.0
"""JSON objects whose members are also attributes: report.total.cycles."""


class Record(dict):
    """A dict read also by attribute; nested dicts too. A name that is no identifier, or that dict has
    as a method ("items"), is read as record["name"]."""

    def __getattr__(self, name):
        try:
            value = self[name]
        except KeyError:
            from tilewave.words import suggestion
            raise AttributeError(f"there is no {name!r}{suggestion(name, self)}") from None
        return as_record(value)

    def __dir__(self):
        return [*super().__dir__(), *(key for key in self if key.isidentifier())]


def as_record(value):
    """Dicts, also those in lists, as Records."""
    if isinstance(value, dict) and not isinstance(value, Record):
        return Record(value)
    if isinstance(value, list):
        return [as_record(element) for element in value]
    return value
