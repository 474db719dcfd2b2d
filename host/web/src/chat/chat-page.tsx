import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import type { PromptFile } from '../../../src/rpc/protocol.ts'
import { sayFailure } from '../net/api.ts'
import { useApp, useData, useDoing } from '../net/app.ts'
import { go, hrefOf, usePlace } from '../net/route.ts'
import { type Link, refusedText, untilConnected } from '../net/socket.ts'
import { Badge, type Tone } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Empty, ErrorNote, Skeleton } from '../parts/notes.tsx'
import { Ago } from '../parts/page.tsx'
import { type ChatSession, openChatSession } from './chat-session.ts'
import { Composer, QueueList } from './composer.tsx'
import { FindBar } from './find-bar.tsx'
import { LogView } from './log-view.tsx'
import { packQueue } from './queue.ts'
import { useFind } from './use-find.ts'

/** The conversation that the address names, or a new one. */
export function ChatPage() {
  const { rest: id } = usePlace()
  return (
    <div className="chat">
      {id === '' ? <NewChat /> : <OpenChat key={id} id={id} />}
      <Sessions current={id} />
    </div>
  )
}

function NewChat() {
  const { socket, api } = useApp()
  const [busy, setBusy] = useState(false)
  const begin = async (text: string, files: readonly PromptFile[]) => {
    setBusy(true)
    try {
      await untilConnected(socket)
      const { session_id } = await socket.call('session.create', {})
      const entry = { id: crypto.randomUUID(), text, ...(files.length > 0 && { files }) }
      localStorage.setItem(keyOf(api.profile, session_id), packQueue([entry]))
      go('chat', session_id)
      return undefined
    } catch (error) {
      return sayFailure(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className="chat-main">
      <div className="chat-head">
        <h1 className="grow">New chat</h1>
        <LinkBadge />
      </div>
      <div className="chat-log">
        <Empty title="What shall the agent do?">
          Ask it something, or give it work: it can read and write files, run commands and search the web, and it asks before it does
          anything dangerous.
        </Empty>
      </div>
      <div className="chat-foot">
        <div>
          <RefusedNote />
          <Composer draftKey={draftKeyOf(api.profile, '')} busy={busy} onSend={begin} onStop={undefined} />
        </div>
      </div>
    </div>
  )
}

const draftKeyOf = (profile: string | undefined, id: string): string => `agent.draft.${profile ?? ''}.${id}`
const keyOf = (profile: string | undefined, id: string): string => `agent.queue.${profile ?? ''}.${id}`

function useChatSession(id: string): ChatSession | undefined {
  const { socket, api } = useApp()
  const [session, setSession] = useState<ChatSession>()
  useEffect(() => {
    const opened = openChatSession({
      socket,
      id,
      store: localStorage,
      storeKey: keyOf(api.profile, id),
      newId: () => crypto.randomUUID(),
      onNext: (next) => go('chat', next),
      soon: (next) => void requestAnimationFrame(next),
    })
    setSession(opened)
    return opened.close
  }, [socket, api, id])
  return session
}

function OpenChat({ id }: { readonly id: string }) {
  const session = useChatSession(id)
  return session === undefined ? <Skeleton /> : <ChatView id={id} session={session} />
}

function ChatView({ id, session }: { readonly id: string; readonly session: ChatSession }) {
  const { socket, api } = useApp()
  const { log, queue, loaded, failure } = useSyncExternalStore(session.subscribe, session.state)
  const { error, run } = useDoing()
  const resend = useCallback((text: string, ordinal: number) => void session.add(text, { replaces: ordinal }), [session])
  const stop = () => run(() => socket.call('session.interrupt', { session_id: id }))
  const find = useFind(log.bubbles)
  const link = useLink()
  return (
    <div className="chat-main">
      <div className="chat-head">
        <h1 className="grow">{log.title ?? 'Chat'}</h1>
        {log.used && (
          <span className="muted small figures" title="Tokens of the last turn: read, written">
            {`${log.used.input.toLocaleString('en')} in · ${log.used.output.toLocaleString('en')} out`}
          </span>
        )}
        <LinkBadge />
        <Button tiny onPress={find.open}>
          Find
        </Button>
        <a className="button tiny" href={hrefOf('chat')}>
          New
        </a>
      </div>
      {find.bar && <FindBar {...find.bar} />}
      <div className="chat-log">
        <h2 className="hidden">Conversation</h2>
        <ErrorNote error={failure} retry={session.reload} />
        {!loaded && link !== 'refused' && <Skeleton />}
        {/* Nobody knows that nothing was said where the log could not be read. */}
        {loaded && (failure === undefined || log.bubbles.length > 0) && (
          <LogView bubbles={log.bubbles} shown={find.shown} canEdit={log.status === 'idle'} onResend={resend} />
        )}
      </div>
      <div className="chat-foot">
        <div>
          <ErrorNote error={error} />
          <RefusedNote />
          <QueueList queue={queue} session={session} />
          <Composer
            draftKey={draftKeyOf(api.profile, id)}
            busy={false}
            onSend={async (text, files) => session.add(text, { files })}
            onStop={log.status === 'idle' ? undefined : stop}
          />
        </div>
      </div>
    </div>
  )
}

function useLink(): Link {
  const { socket } = useApp()
  return useSyncExternalStore(
    useMemo(() => (changed: () => void) => socket.onLink(changed), [socket]),
    socket.link,
  )
}

const links: Readonly<Record<Exclude<Link, 'open'>, readonly [tone: Tone, text: string]>> = {
  connecting: ['warn', 'connecting'],
  lost: ['bad', 'connection lost, trying again'],
  refused: ['bad', 'connection refused'],
}

function LinkBadge() {
  const link = useLink()
  if (link === 'open') return null
  const [tone, text] = links[link]
  return <Badge tone={tone}>{text}</Badge>
}

/** Nothing comes of waiting there, so it is said what to do. */
function RefusedNote() {
  return <ErrorNote error={useLink() === 'refused' ? refusedText : undefined} />
}

function Sessions({ current }: { readonly current: string }) {
  const { value, error, reload } = useData('GET sessions', { query: { limit: 30 } }, 15_000)
  return (
    <aside className="chat-side" aria-label="Sessions">
      <a className="button" href={hrefOf('chat')}>
        New chat
      </a>
      <ErrorNote error={error} retry={reload} />
      <ul>
        {value?.sessions.map((session) => (
          <li key={session.id}>
            <a href={hrefOf('chat', session.id)} aria-current={session.id === current ? 'true' : undefined}>
              <span>{session.title ?? (session.preview || 'Chat')}</span>
              <Ago at={session.updatedAt} />
            </a>
          </li>
        ))}
      </ul>
    </aside>
  )
}
