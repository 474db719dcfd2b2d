import { StrictMode, useMemo } from 'react'
import { createRoot } from 'react-dom/client'
import { type Api, createApi } from './net/api.ts'
import { AppContext } from './net/app.ts'
import { openSocket, type RpcSocket } from './net/socket.ts'
import { ToastRegion, useToasts } from './parts/toast.tsx'
import { Shell } from './shell/shell.tsx'
import { applyTheme, storedTheme } from './shell/theme.ts'

function Root({ api, socket }: { readonly api: Api; readonly socket: RpcSocket }) {
  const toasts = useToasts()
  const app = useMemo(() => ({ api, socket, tell: toasts.tell }), [api, socket, toasts.tell])
  return (
    <AppContext value={app}>
      <Shell />
      <ToastRegion {...toasts} />
    </AppContext>
  )
}

function start(): void {
  applyTheme(storedTheme() ?? 'system')
  const base = new URL('./', location.href).href
  const profile = new URLSearchParams(location.search).get('profile') ?? undefined
  const token = document.querySelector<HTMLMetaElement>('meta[name="agent-token"]')?.content ?? ''
  const api = createApi({ base, token, profile, fetch: (input, init) => fetch(input, init) })
  const socket = openSocket({
    async address() {
      const { ticket } = await api.ask('POST auth/ticket')
      const url = new URL('api/ws', base)
      url.protocol = url.protocol.replace('http', 'ws')
      url.searchParams.set('ticket', ticket)
      if (profile !== undefined) url.searchParams.set('profile', profile)
      return url.href
    },
    connect: (address) => new WebSocket(address),
    later(next, milliseconds) {
      const timer = setTimeout(next, milliseconds)
      return () => clearTimeout(timer)
    },
  })
  const root = document.getElementById('root')
  if (root === null) return
  createRoot(root).render(
    <StrictMode>
      <Root api={api} socket={socket} />
    </StrictMode>,
  )
}

start()
