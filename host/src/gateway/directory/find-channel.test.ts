import { expect, test } from 'vitest'
import type { KnownChannel } from './channel-directory.ts'
import { findChannel } from './find-channel.ts'

const channel = (id: string, name?: string, more: Partial<KnownChannel> = {}): KnownChannel =>
  ({ id, kind: 'channel', lastSeen: 0, ...(name === undefined ? {} : { name }), ...more }) as KnownChannel

const known = [
  channel('C1', '#Garden'),
  channel('C2', 'garage'),
  channel('C3', 'kitchen'),
  channel('garden', 'elsewhere'),
  channel('#irc', '#irc'),
  channel('C1/T7', 'roses', { kind: 'thread', parent: 'C1' }),
  channel('C1/T8', 'rockets', { kind: 'thread', parent: 'C1' }),
  channel('T9', 'roses', { kind: 'thread', parent: 'C2' }),
  channel('T10', 'deep', { kind: 'thread', parent: 'C9' }),
]

function find(wanted: string, among: readonly KnownChannel[] = known): string {
  const found = findChannel(among, wanted)
  if (found.type === 'one') return found.channel.id
  if (found.type === 'several') return found.channels.map(({ id }) => id).join(' or ')
  return `none${found.named ? '' : ', no names'}${found.nearest === undefined ? '' : `, nearest ${found.nearest}`}`
}

test.each([
  ['C3', 'C3'],
  // An id counts before a name.
  ['garden', 'garden'],
  ['#garden', 'C1'],
  ['GARAGE', 'C2'],
  ['kit', 'C3'],
  ['gar', 'C1 or C2'],
  ['elsewhere', 'garden'],
  ['kitchn', 'none, nearest kitchen'],
  ['moonbase alpha', 'none'],
  ['', 'none'],
  // Where the name is the id, half of it is another name.
  ['#ir', 'none'],
  ['#irc', '#irc'],
])('%j is %s', (wanted, found) => {
  expect(find(wanted)).toBe(found)
})

test.each([
  ['C1:T7', 'C1/T7'],
  ['#garden:roses', 'C1/T7'],
  ['#garden:ro', 'C1/T7 or C1/T8'],
  ['#garden:rock', 'C1/T8'],
  ['garage:roses', 'T9'],
  ['garage:T9', 'T9'],
  ['gar:roses', 'C1 or C2'],
  // Nobody knows the conversation any more, but its thread.
  ['C9:deep', 'T10'],
  ['garage:rockets', 'none'],
  [':roses', 'none, nearest roses'],
  // A thread has no threads.
  ['C1/T7:roses', 'none'],
])('the thread %j is %s', (wanted, found) => {
  expect(find(wanted)).toBe(found)
})

test('where conversations have no names but their ids, that is told', () => {
  expect(find('moon', [channel('#a', '#a'), channel('#b')])).toBe('none, no names')
  expect(find('moon', [])).toBe('none, no names')
})
