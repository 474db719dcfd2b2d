import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { VList, type VListHandle } from 'virtua'
import type { PromptFile } from '../../../src/rpc/protocol.ts'
import { sayFailure } from '../net/api.ts'
import { useApp, useData, useDoing } from '../net/app.ts'
import { go, hrefOf, usePlace } from '../net/route.ts'
import { type Link, refusedText, untilConnected } from '../net/socket.ts'
import { Badge, type Tone } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Empty, ErrorNote, Skeleton } from '../parts/notes.tsx'
import { Ago } from '../parts/page.tsx'
import { BubbleView } from './bubble.tsx'
import { type ChatSession, openChatSession } from './chat-session.ts'
import { Composer, QueueList } from './composer.tsx'
import { FindBar } from './find-bar.tsx'
import type { Bubble } from './log.ts'
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
          <Log bubbles={log.bubbles} shown={find.shown} canEdit={log.status === 'idle'} onResend={resend} />
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

interface LogProps {
  readonly bubbles: readonly Bubble[]
  /** One that was looked for. */
  readonly shown: number | undefined
  readonly canEdit: boolean
  readonly onResend: (text: string, ordinal: number) => void
}

/** Of a bubble that was not drawn yet: a smaller one would make the list draw many that nobody sees. */
const typicalHeight = 160

/** The list draws its top before it can go to the end, so it begins with the end alone. */
const drawnFirst = 3

/** Lets a long past follow a frame after its end, in three drawings: the end, the past put before it, and the rest of the life of the list. */
function usePast(count: number): { readonly from: number; readonly shift: boolean } {
  const [step, setStep] = useState<'end' | 'past' | 'whole'>(count > drawnFirst ? 'end' : 'whole')
  const [first] = useState(count - drawnFirst)
  useEffect(() => {
    if (step === 'whole') return
    const next = requestAnimationFrame(() => setStep(step === 'end' ? 'past' : 'whole'))
    return () => cancelAnimationFrame(next)
  }, [step])
  return { from: step === 'end' ? first : 0, shift: step !== 'whole' }
}

/** Only what is seen is in the page. The end stays in sight while it grows, unless the reader has gone up. */
function Log({ bubbles, shown, canEdit, onResend }: LogProps) {
  const list = useRef<VListHandle>(null)
  const away = useRef(false)
  const { from, shift } = usePast(bubbles.length)
  const drawn = useMemo(() => bubbles.slice(from), [bubbles, from])
  useLayoutEffect(() => {
    if (!away.current && drawn.length > 0) list.current?.scrollToIndex(drawn.length - 1, { align: 'end' })
  }, [drawn])
  useLayoutEffect(() => {
    if (shown === undefined) return
    away.current = true
    list.current?.scrollToIndex(shown, { align: 'center' })
  }, [shown])
  const onScroll = (offset: number) => {
    const { current } = list
    if (current) away.current = current.scrollSize - current.viewportSize - offset > 40
  }
  if (bubbles.length === 0) return <Empty title="Nothing was said yet">Write the first message below.</Empty>
  return (
    <VList
      {...{ ref: list, data: drawn, shift, itemSize: typicalHeight, onScroll }}
      {...{ role: 'log', 'aria-label': 'Conversation', tabIndex: 0 }}
    >
      {(bubble, index) => (
        <div key={bubble.key} className={index + from === shown ? 'found' : undefined}>
          <BubbleView bubble={bubble} canEdit={canEdit} onResend={onResend} />
        </div>
      )}
    </VList>
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
