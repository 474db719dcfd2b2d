import type { WebHit } from '@agent/plugin-sdk'
import * as z from 'zod/mini'

/** Only the fields that are read stand here; others are ignored. */
const answer = z.object({ results: z.array(z.object({ url: z.string(), title: z.nullish(z.string()), content: z.nullish(z.string()) })) })

/** Each page once: several engines may have found it. */
export function parseHits(body: unknown): readonly WebHit[] | undefined {
  const read = answer.safeParse(body)
  if (!read.success) return undefined
  const byUrl = new Map<string, WebHit>()
  for (const { url, title, content } of read.data.results)
    if (URL.canParse(url) && !byUrl.has(url)) byUrl.set(url, { url, title: title || url, excerpt: content ?? '' })
  return [...byUrl.values()]
}
