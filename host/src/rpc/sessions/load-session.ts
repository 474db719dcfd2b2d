import { fail } from '@agent/plugin-sdk/errors'
import type { Session } from '#store/sessions.ts'
import type { HubState } from './hub-state.ts'
import { cutTo, isBusy, type LiveSession, openLiveSession, remember } from './live-session.ts'
import { type StoredMessage, storedEvents } from './stored-events.ts'

/** Opens a session that is stored or was given out: its log is made of its messages. Rejects with SESSION_NOT_FOUND. */
export async function loadSession(hub: HubState, id: string): Promise<LiveSession> {
  const { agent, journal } = hub.ground
  const stored = await agent.store.sessions.find(id)
  if (!stored && !journal?.isFresh(id)) throw fail('SESSION_NOT_FOUND', { session: id })
  // Above all that an earlier process has counted: no log grows by an event each millisecond for as long as it lives.
  const session = openLiveSession(hub.ground, id, agent.clock.now())
  for (const [prompt, ordinal] of journal?.accepted(id) ?? []) remember(session, prompt, { accepted: true, ordinal })
  if (stored) await showStored(hub, session, stored)
  return session
}

/** Shows what another process has added to the session or taken from it meanwhile. Only while it is idle: a turn writes, too. */
export async function catchUp(hub: HubState, session: LiveSession): Promise<void> {
  if (isBusy(session)) return
  const stored = await hub.ground.agent.store.sessions.find(session.id)
  if (!stored || isBusy(session)) return
  if (stored.messages < session.known) cutTo(session, stored.messages)
  if (stored.messages > session.known) await showStored(hub, session, stored)
}

async function showStored({ ground }: HubState, session: LiveSession, stored: Session): Promise<void> {
  const lines: StoredMessage[] = []
  for await (const line of ground.agent.store.sessions.export(session.id)) if (line.type === 'message') lines.push(line)
  if (isBusy(session)) return
  const fresh = lines.slice(session.known)
  const { events, marks } = storedEvents(stored, fresh, { prompts: session.nextOrdinal, messages: session.known })
  for (const [index, mark] of marks.entries()) session.marks[session.nextOrdinal + index] = mark
  session.nextOrdinal += marks.length
  session.known = lines.length
  for (const { at, event } of events) {
    const frame = session.log.append(event, at)
    for (const watcher of session.watchers) watcher(frame)
  }
}
