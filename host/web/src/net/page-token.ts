/** The token that the page was served with, by which the server knows it. */
export interface PageToken {
  readonly value: () => string
  /** Asks for that of a dashboard that was started again; false where there is no other one. */
  renew(): Promise<boolean>
}

export interface PageTokenOptions {
  /** The page as it was served. */
  readonly served: ServedPage
  /** The page as the server has it now. */
  readonly load: () => Promise<string>
  /** Loads the page again, where the server has another program for it. */
  readonly reload: () => void
  readonly now: () => number
  readonly store: { getItem(key: string): string | null; setItem(key: string, text: string): void }
}

export interface ServedPage {
  readonly token: string
  /** The address of its program, which has another name with each content. */
  readonly script: string
}

const reloadedKey = 'agent.reloaded'
/** So that a page which is told the same again and again is not loaded for ever. */
const reloadPauseMs = 10_000

/** Nothing that is typed is lost by a restart: the page stays, unless its program is another one now. */
export function createPageToken({ served, load, reload, now, store }: PageTokenOptions): PageToken {
  let { token } = served
  let renewing: Promise<boolean> | undefined
  const renew = async (): Promise<boolean> => {
    const page = readPage(await load().catch(() => ''))
    if (page.token === '' || page.token === token) return false
    if (page.script !== served.script) {
      if (now() - Number(store.getItem(reloadedKey) ?? 0) < reloadPauseMs) return false
      store.setItem(reloadedKey, String(now()))
      reload()
      return false
    }
    token = page.token
    return true
  }
  return {
    value: () => token,
    renew: () => {
      renewing ??= renew().finally(() => {
        renewing = undefined
      })
      return renewing
    },
  }
}

function readPage(html: string): ServedPage {
  const find = (pattern: RegExp): string => pattern.exec(html)?.[1] ?? ''
  return { token: find(/<meta name="agent-token" content="([^"]*)"/), script: find(/<script[^>]* src="([^"]+)"/) }
}
