import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '../../../../test/support/free-port.ts'
import type { DebianTree } from '../../../../test/support/servers/debian-tree.ts'
import { waitUntil } from '../../../../test/support/servers/wait-until.ts'

export interface Inspircd extends AsyncDisposable {
  readonly port: number
  /** For TLS; nobody listens there without a certificate. */
  readonly tlsPort: number
}

/** InspIRCd that throws out who is so many lines ahead of one a second; with a certificate (PEM, its key in it) over TLS too. */
export async function openInspircd(tree: DebianTree, threshold: number, pem?: string): Promise<Inspircd> {
  const data = mkdtempSync(join(tmpdir(), 'agent-inspircd-'))
  chmodSync(data, 0o777)
  const [port, tlsPort] = [await findFreePort(), await findFreePort()]
  if (pem !== undefined) writeFileSync(join(data, 'server.pem'), pem)
  writeFileSync(join(data, 'inspircd.conf'), formatSettings(port, threshold) + (pem === undefined ? '' : formatTls(tlsPort)))
  const child = tree.start(data, ['inspircd', '--runasroot', '--nofork', '--config=/data/inspircd.conf', '--nolog'])
  let said = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2000)
  })
  const close = async (): Promise<void> => {
    const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
    child.kill('SIGKILL')
    await gone
    rmSync(data, { recursive: true, force: true })
  }
  let isThere = false
  const knock = (): boolean => {
    connect(port, '127.0.0.1', function (this: { destroy(): void }) {
      isThere = true
      this.destroy()
    }).on('error', () => undefined)
    return isThere || child.exitCode !== null
  }
  try {
    await waitUntil(() => ['InspIRCd listens', said], 20_000, knock)
    if (!isThere) throw new Error(`InspIRCd ended: ${said}`)
  } catch (error) {
    await close()
    throw error
  }
  return { port, tlsPort, [Symbol.asyncDispose]: close }
}

const formatSettings = (port: number, threshold: number): string => `<server name="irc.test" description="Server of a trial" network="test">
<admin name="nobody" nick="nobody" email="nobody@irc.test">
<bind address="127.0.0.1" port="${port}" type="clients">
<connect name="main" allow="*" timeout="60" pingfreq="120" hardsendq="1M" softsendq="8192" recvq="8K" threshold="${threshold}"
  commandrate="1000" fakelag="off" localmax="50" globalmax="50" useident="no" resolvehostnames="no">
<files motd="/dev/null">
<pid file="/data/inspircd.pid">
`

const formatTls = (port: number): string => `<module name="ssl_gnutls">
<module name="sslinfo">
<sslprofile name="trial" provider="gnutls" certfile="/data/server.pem" keyfile="/data/server.pem" hash="sha256">
<bind address="127.0.0.1" port="${port}" type="clients" sslprofile="trial">
`
