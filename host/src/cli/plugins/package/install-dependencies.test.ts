// @module-tag process
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { fetchPackage } from '#kernel/package/fetch-package.ts'
import type { NpmOptions } from '#kernel/package/run-npm.ts'
import { writePackage } from '../../../../../test/support/write-tar.ts'
import { installDependencies } from './install-dependencies.ts'

type Files = Readonly<Record<string, string>>
interface Stage extends AsyncDisposable {
  readonly npm: NpmOptions
  readonly folder: string
}

/** A registry that answers with the next of these packages each time it is asked about one; the last stays. */
async function openStage(name: string, ...packages: readonly [Files, ...Files[]]): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-fetch-'))
  const tarballs = packages.map((files) => writePackage(files))
  let asked = 0
  const server = createServer(({ url: path = '' }, response) => {
    const tarball = tarballs[Math.min(asked, tarballs.length - 1)] ?? Buffer.alloc(0)
    if (path.endsWith('.tgz')) return void response.end(tarball)
    asked += 1
    const { port } = server.address() as AddressInfo
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
    const dist = { tarball: `http://127.0.0.1:${port}/${name}/-/${name}-1.0.0.tgz`, integrity }
    const version = { ...JSON.parse(packages[0]['package.json'] ?? '{}'), dist }
    response.setHeader('cache-control', 'no-store').setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ name, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cwd = join(folder, 'work')
  mkdirSync(cwd)
  const environment = {
    ...{ PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: folder, MARK: join(folder, 'mark') },
    npm_config_registry: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
  }
  return {
    folder,
    npm: { cwd, cache: join(folder, 'cache'), environment, signal: new AbortController().signal },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const packageOf = (name: string, more: object = {}): Files => ({
  'package.json': JSON.stringify({ name, version: '1.0.0', license: 'MIT', ...more }),
})
const spec = { type: 'npm', name: 'dice', text: 'dice' } as const

test('a package that is what the registry promised is fetched with its hash', async () => {
  await using stage = await openStage('dice', packageOf('dice'))
  const fetched = await fetchPackage(spec, stage.npm)
  expect(fetched).toMatchObject({ name: 'dice', integrity: expect.stringMatching(/^sha512-/), resolved: expect.stringMatching(/\.tgz$/) })
  expect(existsSync(fetched.tarball)).toBe(true)
})

test('a package that is something else than was promised before is refused', async () => {
  await using stage = await openStage('dice', packageOf('dice'), packageOf('dice', { description: 'Other.' }))
  await expect(fetchPackage(spec, stage.npm)).rejects.toMatchObject({
    code: 'PLUGIN_FETCH',
    params: { detail: expect.stringMatching(/^the registry sent sha512-.*, but promised sha512-/) },
  })
})

test('nothing that a dependency wants to run at its installation is run', async () => {
  const scripts = Object.fromEntries(
    ['preinstall', 'install', 'postinstall'].map((script) => [script, `node -e "require('fs').writeFileSync(process.env.MARK, '')"`]),
  )
  await using stage = await openStage('noisy', packageOf('noisy', { scripts, hasInstallScript: true }))
  const folder = join(stage.folder, 'plugin')
  mkdirSync(folder)
  const file = { name: 'dice', version: '1.0.0', dependencies: { noisy: '1.0.0' } }
  await installDependencies(folder, file as unknown as Parameters<typeof installDependencies>[1], stage.npm)
  expect(existsSync(join(folder, 'node_modules', 'noisy', 'package.json'))).toBe(true)
  expect(existsSync(join(stage.folder, 'mark'))).toBe(false)
})
