"""Speed, measured side by side in one run. Ratios count; milliseconds are of the machine that they were measured on."""
