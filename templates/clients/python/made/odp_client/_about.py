"""What this package was made for."""

PACKAGE = "{{package}}"
RELEASE = "{{release}}"
RELEASE_DATE = "{{date}}"
BASE_URL = "{{base}}"
