import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { headersFolder } from './platform.mjs'
import { Trouble } from './trouble.mjs'

/** The npm that belongs to the running Node, as a script: no shell and no search path decides. */
function npmScript() {
  const bin = dirname(process.execPath)
  const candidates = [
    process.env.npm_execpath,
    join(bin, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(bin, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    ...(process.env.PATH ?? '').split(delimiter).map((folder) => realPath(join(folder, 'npm'))),
  ]
  const found = candidates.find((file) => file?.endsWith('npm-cli.js') && existsSync(file))
  if (!found)
    throw new Trouble('npm was not found beside Node.js: install it (on Debian: `apt-get install npm`), then run the command again.')
  return found
}

function realPath(file) {
  return existsSync(file) ? realpathSync(file) : undefined
}

/** npm's own pauses between attempts let a machine without network wait for more than a minute. */
const patience = { npm_config_fetch_retries: '2', npm_config_fetch_retry_mintimeout: '1000', npm_config_fetch_retry_maxtimeout: '5000' }

/** Runs npm and gathers what it prints; answers, never throws, when npm fails. */
export function runNpm(args, cwd, variables = {}) {
  const headers = headersFolder()
  const environment = { ...patience, ...process.env, ...(headers ? { npm_config_nodedir: headers } : {}), ...variables }
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [npmScript(), ...args], { cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const gather = (chunk) => {
      output += chunk
    }
    child.stdout.setEncoding('utf8').on('data', gather)
    child.stderr.setEncoding('utf8').on('data', gather)
    child.on('error', reject)
    child.on('close', (code) => resolve({ ok: code === 0, output }))
  })
}

/** The end of a long log, for people. */
export function lastLines(output, count = 12) {
  return output.trimEnd().split('\n').slice(-count).join('\n')
}
