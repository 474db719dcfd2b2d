import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { nativeBinding } from '../../../host/src/store/native.ts'
import type { Figure } from '../figure.ts'

const run = promisify(execFile)

/** A checkout as `npm start` leaves it: sources, what is built of them (host, SDK, bundled plugins), the packages that this runs with, the native module. */
export const installSize: Figure = {
  name: 'install-size',
  async measure({ root, folder, signal }) {
    const copy = join(folder, 'install')
    const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, signal })
    const files = stdout.split('\0').filter((file) => file !== '' && existsSync(join(root, file)))
    for (const file of files) {
      mkdirSync(dirname(join(copy, file)), { recursive: true })
      cpSync(join(root, file), join(copy, file))
    }
    for (const file of files.filter((each) => each.endsWith('/package.json'))) {
      const built = join(dirname(file), 'dist')
      if (existsSync(join(root, built))) cpSync(join(root, built), join(copy, built), { recursive: true })
    }
    const { ensurePackages, removeBuildPackages } = (await import(
      pathToFileURL(join(root, 'host/install/dependencies.mjs')).href
    )) as Packages
    await ensurePackages(copy, 'build')
    await removeBuildPackages(copy)
    const packages = await diskUse(join(copy, 'node_modules'))
    const native = await diskUse(nativeBinding({ folder: process.env.AGENT_NATIVE_CACHE }) ?? copy)
    const all = (await diskUse(copy)) + native
    return [
      {
        figure: 'install-size',
        budget: '≤ 90 MiB',
        floor: `${packages.toFixed(0)} MiB packages`,
        value: `${all.toFixed(0)} MiB`,
        ok: all <= 90,
        note: `the whole checkout on disk without .git: sources, builds and packages, and ${native.toFixed(1)} MiB of native module`,
      },
    ]
  },
}

/** What is used of the installer's file, which is plain JavaScript. */
interface Packages {
  ensurePackages(root: string, level: 'build'): Promise<void>
  removeBuildPackages(root: string): Promise<void>
}

/** MiB on disk. */
async function diskUse(path: string): Promise<number> {
  const { stdout } = await run('du', ['-sk', path])
  return Number(stdout.split('\t', 1)[0]) / 1024
}
