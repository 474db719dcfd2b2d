import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { say } from './say.mjs'
import { explainError, Trouble } from './trouble.mjs'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new Trouble(`Node.js ${process.versions.node} is too old: install Node.js 20.19 or newer, then run the command again.`)
  }
}

/**
 * Brings the checkout to the state that a command needs; says nothing when there is nothing to do.
 * A developer's command leaves installed packages alone: after their own `npm install` they need not fit the stamp.
 */
async function prepare({ dev, install = true, build = true }) {
  const { withLock } = await import('./lock.mjs')
  const { ensurePackages, removeBuildPackages } = await import('./dependencies.mjs')
  const { installNativeModules } = await import('./native.mjs')
  const { buildStale, listStale } = await import('./build.mjs')
  const { ensureCompiled } = await import('./compiled.mjs')
  await withLock(join(root, '.lock'), async () => {
    const stale = build ? listStale(root) : []
    const level = build && stale.length === 0 ? 'run' : 'build'
    await ensurePackages(root, dev && (install || !build) ? 'develop' : level, { keep: !install })
    await bothOrFail(buildStale(stale), installNativeModules(root))
    if (!build) return
    await ensureCompiled(root)
    await removeBuildPackages(root)
  })
}

/** Both run to their end before a failure is reported: a half-written build would outlive the lock. */
async function bothOrFail(...steps) {
  const results = await Promise.allSettled(steps)
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}

async function runVitest(name, args) {
  const { runNode } = await import('./programs.mjs')
  const code = await runNode(join(root, 'node_modules', 'vitest', 'vitest.mjs'), ['run', ...args], root)
  say(`${name}: ${process.uptime().toFixed(1)} s`)
  return code
}

const commands = {
  start: async (args) => {
    await prepare({ dev: false })
    const { loadHost } = await import('./load-host.mjs')
    return loadHost(root).exports.main(['gateway', 'run', '--from-start', '--dashboard', ...args], {
      installRoot: root,
      environment: process.env,
    })
  },
  test: async (args) => {
    await prepare({ dev: true, build: false })
    const projects = ['--project', 'unit', '--project', 'server', '--project', 'process']
    return runVitest('test', args.some((word) => !word.startsWith('-')) ? args : [...projects, ...args])
  },
  contract: async (args) => {
    await prepare({ dev: true, install: false, build: false })
    return runVitest('test:contract', ['--project', 'contract', ...args])
  },
  npm: async (args) => {
    await prepare({ dev: true, install: false, build: false })
    return runVitest('test:npm', ['--project', 'npm', ...args])
  },
  browser: async (args) => {
    await prepare({ dev: true, install: false, build: false })
    return runVitest('test:browser', ['--project', 'browser', ...args])
  },
  unit: async (args) => {
    await prepare({ dev: true, install: false, build: false })
    // One worker a core, because none of these tests waits for another process.
    return runVitest('test:unit', ['--project', 'unit', `--maxWorkers=${Math.min(6, Math.max(2, availableParallelism()))}`, ...args])
  },
  check: async () => {
    const { check } = await import('./check.mjs')
    return check(root)
  },
  install: async (args) => {
    await prepare({ dev: args.includes('--dev'), build: false })
    return 0
  },
  native: async () => {
    const { installNativeModules } = await import('./native.mjs')
    await installNativeModules(root)
    return 0
  },
  build: async () => {
    await prepare({ dev: true, install: false })
    return 0
  },
  bench: (args) => runScript('test/bench/main.ts', args),
  clients: (args) => runScript('test/clients/main.ts', args),
  conformance: (args) => runScript('test/conformance/main.ts', args),
  faults: (args) => runScript('test/faults/main.ts', args),
  providers: (args) => runScript('test/providers/main.ts', args, { build: false }),
  requirements: (args) => runScript('test/spec/main.ts', args, { build: false }),
  mutation: (args) => runScript('test/mutation/main.ts', args),
}

async function runScript(file, args, { build = true } = {}) {
  await prepare({ dev: true, install: false, build })
  const { runTypeScript } = await import('./programs.mjs')
  return runTypeScript(root, join(root, file), args)
}

async function run([name = '', ...args]) {
  checkNode()
  const command = commands[name]
  if (!command) throw new Trouble(`Usage: node host/install/run.mjs ${Object.keys(commands).join(' | ')}`)
  return command(args)
}

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  const sentence = explainError(error)
  say(sentence ?? `The command failed unexpectedly: ${error?.stack ?? error}`)
  process.exitCode = 1
}
