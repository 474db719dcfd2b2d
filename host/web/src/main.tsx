import { type ReactNode, StrictMode, useMemo, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'
import { type Api, createApi } from './net/api.ts'
import { type App, AppContext } from './net/app.ts'
import { createPageToken } from './net/page-token.ts'
import { openSocket, type RpcSocket } from './net/socket.ts'
import { ToastRegion, useToasts } from './parts/toast.tsx'
import { createLock, type Lock } from './shell/lock.ts'
import { LoginPage } from './shell/login.tsx'
import { Shell } from './shell/shell.tsx'
import { applyTheme, storedTheme } from './shell/theme.ts'

interface RootProps {
  readonly api: Api
  readonly socket: RpcSocket
  readonly lock: Lock
  readonly openTerminal: App['openTerminal']
}

function Root({ api, socket, lock, openTerminal }: RootProps) {
  const toasts = useToasts()
  const locked = useSyncExternalStore(lock.onChange, lock.isLocked)
  const logins = useSyncExternalStore(lock.onChange, lock.opened)
  const app = useMemo(() => ({ api, socket, openTerminal, tell: toasts.tell, logins }), [api, socket, openTerminal, toasts.tell, logins])
  // A dashboard that was started again meanwhile does not know this page.
  const goOn = () =>
    api.ask('POST auth/ticket').then(
      () => lock.open(),
      () => location.reload(),
    )
  return (
    <AppContext value={app}>
      <div hidden={locked}>
        <Shell />
        <ToastRegion {...toasts} />
      </div>
      {locked && <LoginPage api={api} ended onDone={goOn} />}
    </AppContext>
  )
}

function start(): void {
  applyTheme(storedTheme() ?? 'system')
  const base = new URL('./', location.href).href
  const profile = new URLSearchParams(location.search).get('profile') ?? undefined
  const served = {
    token: document.querySelector<HTMLMetaElement>('meta[name="agent-token"]')?.content ?? '',
    script: document.querySelector('script[src]')?.getAttribute('src') ?? '',
  }
  const token = createPageToken({
    served,
    load: async () => (await fetch(base, { cache: 'no-store' })).text(),
    reload: () => location.reload(),
    now: () => Date.now(),
    store: sessionStorage,
  })
  const lock = createLock()
  const api = createApi({ base, token, profile, fetch: (input, init) => fetch(input, init), onLocked: lock.lock })
  // Only who is let in gets the page with a token.
  if (served.token === '') {
    draw(<LoginPage api={api} ended={false} outcome={takeOutcome()} onDone={() => location.reload()} />)
    return
  }
  const addressOf = async (path: string, more: Readonly<Record<string, string>> = {}): Promise<string> => {
    const { ticket } = await api.ask('POST auth/ticket')
    const url = new URL(path, base)
    url.protocol = url.protocol.replace('http', 'ws')
    const query = { ticket, ...(profile === undefined ? {} : { profile }), ...more }
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return url.href
  }
  const openTerminal: App['openTerminal'] = async (columns, rows) =>
    new WebSocket(await addressOf('api/pty', { columns: `${columns}`, rows: `${rows}` }))
  const socket = openSocket({
    address: () => addressOf('api/ws'),
    connect: (address) => new WebSocket(address),
    later(next, milliseconds) {
      const timer = setTimeout(next, milliseconds)
      return () => clearTimeout(timer)
    },
  })
  draw(<Root {...{ api, socket, lock, openTerminal }} />)
}

/** What came of a login at the identity provider; it goes out of the address, so that a reload does not tell it again. */
function takeOutcome(): string | undefined {
  const url = new URL(location.href)
  const outcome = url.searchParams.get('login') ?? undefined
  url.searchParams.delete('login')
  if (outcome !== undefined) history.replaceState(null, '', url)
  return outcome
}

function draw(page: ReactNode): void {
  const root = document.getElementById('root')
  if (root !== null) createRoot(root).render(<StrictMode>{page}</StrictMode>)
}

start()
