"""The routes, one module for each thing that can be asked about; the application takes the `router` of each."""
