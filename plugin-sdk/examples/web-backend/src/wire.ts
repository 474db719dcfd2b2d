import * as z from 'zod/mini'

/** Only the fields that are read stand here; others are ignored. */
const hits = z.object({ hits: z.array(z.object({ url: z.string(), title: z.string(), excerpt: z.optional(z.string()) })) })
const page = z.object({ url: z.string(), title: z.string(), markdown: z.string() })

export const parseHits = (body: unknown): z.output<typeof hits>['hits'] | undefined => hits.safeParse(body).data?.hits
export const parsePage = (body: unknown): z.output<typeof page> | undefined => page.safeParse(body).data
