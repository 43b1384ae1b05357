"""One server started, loaded, watched and stopped."""
