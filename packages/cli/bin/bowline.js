#!/usr/bin/env node
// npm links a command when it installs, which in a checkout is before the first build: so this file is there already
import "../dist/bin.js";
