import { readFile } from 'node:fs/promises'
import type { Attachment, Blob, Clock, CompleteConnection, InputPart, Log, PlatformManifest } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { callWithin } from '#kernel/calls/call.ts'
import type { MediaCache } from './media-cache.ts'
import { cleanName, quoteFile } from './quote-file.ts'

export interface FetchAttachmentsOptions {
  readonly spec: PlatformManifest
  readonly connection: CompleteConnection
  readonly cache: MediaCache
  readonly clock: Clock
  readonly log: Log
}

const mostAttachments = 20
const fetchMs = 60_000
/** Larger images stay files. */
const mostImageBytes = 5 * 1024 * 1024
const mostTextBytes = 100 * 1024
const textTypes = /^(text\/|application\/(json|xml|yaml|x-yaml|toml|javascript|x-sh)\b)/

/** What the model gets to see of the files of a message. A file that cannot be had is told in words and stops nothing. */
export async function fetchAttachments(
  options: FetchAttachmentsOptions,
  attachments: readonly Attachment[],
  signal: AbortSignal,
): Promise<readonly InputPart[]> {
  const parts: InputPart[] = []
  for (const attachment of attachments.slice(0, mostAttachments)) parts.push(await fetchOne(options, attachment, signal))
  const left = attachments.length - mostAttachments
  if (left > 0) parts.push(say(`(${left} more files were not fetched: ${mostAttachments} are taken of one message.)`))
  return parts
}

const say = (text: string): InputPart => ({ type: 'text', text })

async function fetchOne(options: FetchAttachmentsOptions, attachment: Attachment, signal: AbortSignal): Promise<InputPart> {
  const { spec, connection, cache, clock, log } = options
  const name = describeName(attachment)
  try {
    const blob = await callWithin({ clock, signal, deadline: fetchMs, what: `Fetching ${name}` }, (call) =>
      cache.store(connection.fetchMedia(attachment, call), {
        kind: attachment.kind,
        mime: attachment.mime,
        name: attachment.name,
        maxBytes: spec.limits.fetchBytes,
      }),
    )
    return await show(cache, attachment, blob)
  } catch (error) {
    signal.throwIfAborted()
    log.warn('a file of a message could not be fetched', { platform: spec.id, error: String(error) })
    return say(`(The file ${name} could not be fetched${isAgentError(error) ? `: ${error.message}` : '.'})`)
  }
}

async function show(cache: MediaCache, attachment: Attachment, blob: Blob): Promise<InputPart> {
  const path = cache.pathOf(blob)
  const name = describeName(attachment)
  if (attachment.kind === 'image' && blob.bytes <= mostImageBytes)
    return { type: 'image', url: `data:${blob.mime};base64,${(await readFile(path)).toString('base64')}` }
  if (textTypes.test(blob.mime) && blob.bytes <= mostTextBytes)
    return quoteFile(cleanName(attachment.name ?? '') || attachment.kind, name, await readFile(path, 'utf8'))
  return say(`(File ${name}, ${attachment.kind}, ${blob.mime}, ${blob.bytes} bytes, kept for a day at ${path})`)
}

function describeName({ name = '', kind }: Attachment): string {
  const safe = cleanName(name)
  return safe === '' ? `without a name (${kind})` : `"${safe}"`
}
