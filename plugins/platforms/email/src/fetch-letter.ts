import type { ImapFlow } from 'imapflow'
import type { Letter } from './inbound.ts'
import { readStructure } from './structure.ts'
import { decodeText, type Head, type Place, parseHead, type TextPart } from './wire.ts'

/** Bytes that are fetched of one part; more would be cut off anyway. */
const mostBytes = 400_000

/** Reads head and words of a letter, but no file. Undefined for what is gone, or what `isWanted` does not want. */
export async function fetchLetter(client: ImapFlow, place: Place, isWanted: (head: Head) => boolean): Promise<Letter | undefined> {
  const lock = await client.getMailboxLock(place.mailbox, { readOnly: true })
  try {
    const found = await client.fetchOne(String(place.uid), { headers: true, bodyStructure: true }, { uid: true })
    if (!found || found.headers === undefined) return undefined
    const head = await parseHead(found.headers)
    if (!head || !isWanted(head)) return undefined
    const { texts, files } = readStructure(found.bodyStructure ?? { type: 'text/plain' })
    return { head, texts: await fetchTexts(client, place.uid, texts), files, place }
  } finally {
    lock.release()
  }
}

async function fetchTexts(client: ImapFlow, uid: number, parts: readonly TextPart[]): Promise<readonly string[]> {
  if (parts.length === 0) return []
  const bodyParts = parts.map(({ part }) => ({ key: part, maxLength: mostBytes }))
  const found = await client.fetchOne(String(uid), { bodyParts }, { uid: true })
  const bodies = found ? found.bodyParts : undefined
  return Promise.all(parts.map((part) => decodeText(part, bodies?.get(part.part.toLowerCase()) ?? new Uint8Array())))
}
