import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { detailOf, fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { Loaded } from '#config/file/loaded.ts'
import { createPrivateNetworks } from '#kernel/private-networks.ts'
import { createAddressRules } from '#tools/web/guard-address.ts'

interface Guarded {
  readonly name: string
  readonly url: string
  readonly loaded: Pick<Loaded, 'config'>
  /** The addresses of a name; absent: as this machine finds them. */
  readonly find?: (hostname: string) => Promise<readonly string[]>
}

/**
 * Which addresses a login may ask: encrypted ones of the world. A server of this machine, or of its network, may name such addresses too;
 * one of the world may not make us ask what only this network reaches. Which of them it is says its name: where the name leads to is up to its owner.
 */
export function createLoginGuard({ name, url, loaded, find = findAddresses }: Guarded): (address: string) => Promise<void> {
  const refuse = (detail: string): Error => fail('LOGIN_FAILED', { provider: name, detail })
  const allowPrivate = isNear(new URL(url).hostname.replace(/^\[|\]$|\.$/g, ''))
  const rules = createAddressRules({ settings: () => loaded.config.security, lookup: find })
  return async (address) => {
    const shown = address.slice(0, 200)
    if (!URL.canParse(address)) throw refuse(`it names ${shown}, which is no address`)
    const { protocol, hostname } = new URL(address)
    const isHere = /^(?:127\.0\.0\.1|localhost|\[::1\])$/.test(hostname)
    if (protocol !== 'https:' && !(protocol === 'http:' && isHere)) throw refuse(`it names ${shown}, which is not encrypted`)
    try {
      await rules.resolve({ url: address, allowPrivate })
    } catch (error) {
      const reason = isAgentError(error, 'WEB_ADDRESS_REFUSED') ? String(error.params.reason) : detailOf(error)
      throw refuse(`it names ${shown}, which is not asked: ${reason}`)
    }
  }
}

const findAddresses = async (hostname: string): Promise<readonly string[]> =>
  (await lookup(hostname, { all: true })).map(({ address }) => address)

/** A name that nobody in the world can own. */
function isNear(host: string): boolean {
  if (isIP(host)) return createPrivateNetworks()(host)
  return !host.includes('.') || /\.(?:local|internal|lan|home\.arpa)$/.test(host)
}
