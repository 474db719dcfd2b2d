#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Else this signal opens a debugger, through which any program of this machine runs its code here.
process.on('SIGUSR1', () => undefined)
const asked = [...process.execArgv, ...(process.env.NODE_OPTIONS ?? '').split(' ')].some((word) =>
  /^--inspect(-brk|-wait)?(=|$)/.test(word),
)
if (!asked) {
  // One that came before that line has opened it, or is about to.
  process._debugEnd?.()
  for (const ms of [0, 50, 500]) setTimeout(() => process._debugEnd?.(), ms).unref()
}

const installRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const args = process.argv.slice(2)

if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  const { version } = JSON.parse(readFileSync(join(installRoot, 'package.json'), 'utf8'))
  process.stdout.write(`agent ${version}\n`)
} else if (existsSync(join(installRoot, 'host', 'dist', 'main.cjs'))) {
  const { enableCompileCache } = await import('node:module')
  enableCompileCache?.()
  // As a package it was installed by npm alone, which may run no scripts.
  if (existsSync(join(installRoot, 'host', 'src')) || (await hasNativeModules())) {
    const { loadHost } = await import('../install/load-host.mjs')
    process.exitCode = await loadHost(installRoot).exports.main(args, { installRoot, environment: process.env })
  } else {
    process.exitCode = 1
  }
} else {
  process.stderr.write(`agent is not built yet: run \`npm start\` in ${installRoot}\n`)
  process.exitCode = 1
}

async function hasNativeModules() {
  const [{ ensureNativeModules }, { ensureCompiled }, { explainError }] = await Promise.all([
    import('../install/native.mjs'),
    import('../install/compiled.mjs'),
    import('../install/trouble.mjs'),
  ])
  try {
    await ensureNativeModules(installRoot)
    await ensureCompiled(installRoot)
    return true
  } catch (error) {
    process.stderr.write(`agent: ${explainError(error) ?? error.message}\n`)
    return false
  }
}
