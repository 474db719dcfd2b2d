// @module-tag process
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

/** The first fetch of a process, from a peer that closes every connection at once. */
async function fetchFirst(prepare: string): Promise<string> {
  const peer = createServer((socket) => socket.on('error', () => socket.destroy()).end())
  peer.listen(0, '127.0.0.1')
  await once(peer, 'listening')
  const contents = `
    import { askOwnServer, createReadyFetch, waitForCompiler } from './first-fetch.ts'
    const clock = { now: Date.now, sleep: (ms) => new Promise((done) => setTimeout(done, ms)) }
    const fetch = createReadyFetch(globalThis.fetch, () => ${prepare})
    const ended = fetch('http://127.0.0.1:${(peer.address() as AddressInfo).port}/').catch((error) => error.message)
    const late = new Promise((done) => setTimeout(done, 5000, 'it hangs'))
    console.log(await Promise.race([ended, late]))
    process.exit(0)`
  try {
    const resolveDir = dirname(fileURLToPath(import.meta.url))
    const { outputFiles } = await build({
      ...{ stdin: { contents, resolveDir }, bundle: true, format: 'esm', platform: 'node', write: false },
    })
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', outputFiles[0]?.text ?? ''])
    return stdout.trim()
  } finally {
    peer.close()
  }
}

// Without `Promise.resolve()` in place of these the process of Node 20 says "it hangs".
test.each(['askOwnServer(globalThis.fetch, clock)', 'waitForCompiler(clock)'])(
  'the first fetch of a process does not hang where the other side closes at once: %s',
  async (prepare) => {
    expect(await fetchFirst(prepare)).toBe('fetch failed')
  },
)
