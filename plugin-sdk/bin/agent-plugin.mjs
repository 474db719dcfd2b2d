#!/usr/bin/env node
import { loadBuild } from './load-build.mjs'

const { runCli } = await loadBuild()
process.exitCode = await runCli(process.argv.slice(2), { out: (text) => console.log(text), note: (text) => console.error(text) })
