"""Sharing: pictures of positions and games, previews of links, boards for other sites, the installed page."""
