import { spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { sourceCondition } from './bundle.mjs'
import { Trouble } from './trouble.mjs'

/** Runs a script with this Node on the caller's terminal; answers its exit code. */
export function runNode(script, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], { cwd, stdio: 'inherit' })
    const pass = (signal) => child.kill(signal)
    process.on('SIGINT', pass).on('SIGTERM', pass)
    child.on('error', reject)
    child.on('close', (code, signal) => {
      process.off('SIGINT', pass).off('SIGTERM', pass)
      resolve(code ?? (signal === 'SIGINT' ? 130 : 1))
    })
  })
}

/** Packages stay where they are installed; our own are bundled from source. */
export const externalPackages = {
  name: 'external-packages',
  setup(build) {
    build.onResolve({ filter: /^[^./#]/ }, ({ path }) => (path.startsWith('@agent/') ? undefined : { path, external: true }))
  },
}

/** Bundles a TypeScript program of this repository, which Node 20 cannot run by itself; answers the file to run. */
export async function bundleTypeScript(root, file) {
  if (!existsSync(file)) throw new Trouble(`There is no ${file}.`)
  const { build } = await import('esbuild')
  const folder = join(root, 'node_modules', '.agent-programs')
  mkdirSync(folder, { recursive: true })
  const outfile = join(folder, `${basename(join(file, '..'))}.mjs`)
  await build({
    entryPoints: [file],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: [sourceCondition],
    sourcemap: 'inline',
    logLevel: 'silent',
    plugins: [externalPackages],
  })
  return outfile
}

export async function runTypeScript(root, file, args) {
  return runNode(await bundleTypeScript(root, file), args, root)
}
