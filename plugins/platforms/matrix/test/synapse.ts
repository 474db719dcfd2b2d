import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '../../../../test/support/free-port.ts'
import type { DebianTree } from '../../../../test/support/servers/debian-tree.ts'
import { waitUntil } from '../../../../test/support/servers/wait-until.ts'

export interface Synapse extends AsyncDisposable {
  readonly url: string
  /** Makes an account; gives its full name. */
  addUser(name: string, password: string): Promise<string>
}

/** A homeserver with the settings that Synapse makes for itself, its limits included. */
export async function openSynapse(tree: DebianTree): Promise<Synapse> {
  const data = mkdtempSync(join(tmpdir(), 'agent-synapse-'))
  const port = await findFreePort()
  const config = '/data/homeserver.yaml'
  const program = ['python3', '-m', 'synapse.app.homeserver', '--config-path', config, '--config-path', '/data/ours.yaml']
  // Keys of the second file win.
  const listener = { port, bind_addresses: ['127.0.0.1'], type: 'http', tls: false, resources: [{ names: ['client'] }] }
  writeFileSync(join(data, 'ours.yaml'), JSON.stringify({ listeners: [listener], trusted_key_servers: [] }))
  const names = ['--server-name', 'synapse.test', '--data-directory', '/data', '--report-stats=no']
  await tree.run(data, [...program.slice(0, -2), '--generate-config', ...names])
  const child = tree.start(data, program)
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2000)
  })
  const url = `http://127.0.0.1:${port}`
  const close = async (): Promise<void> => {
    const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
    child.kill('SIGKILL')
    await gone
    rmSync(data, { recursive: true, force: true })
  }
  let isThere = false
  const asking = setInterval(() => {
    fetch(`${url}/_matrix/client/versions`).then(
      ({ ok }) => {
        isThere ||= ok
      },
      () => undefined,
    )
  }, 250)
  try {
    await waitUntil(
      () => ['Synapse answers', said],
      60_000,
      () => isThere || child.exitCode !== null,
    )
    if (!isThere) throw new Error(`Synapse ended: ${said}`)
  } catch (error) {
    await close()
    throw error
  } finally {
    clearInterval(asking)
  }
  return {
    url,
    addUser: async (name, password) => {
      await tree.run(data, ['synapse_register_new_matrix_user', '-u', name, '-p', password, '--no-admin', '-c', config, url])
      return `@${name}:synapse.test`
    },
    [Symbol.asyncDispose]: close,
  }
}
