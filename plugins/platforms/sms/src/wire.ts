import { parseJson } from '@agent/plugin-sdk/http'
import * as z from 'zod/mini'

/** A text message as Twilio tells of it. */
export interface Incoming {
  readonly sid: string
  readonly account: string
  readonly from: string
  readonly to: string
  readonly body: string
  readonly files: readonly { readonly path: string; readonly mime: string }[]
}

/** A number with its country code, or a short code. */
export function isNumber(text: string): boolean {
  return /^(\+[1-9]\d{6,14}|\d{4,8})$/.test(text)
}

/** For logs: enough to tell two numbers apart, too little to call one. */
export function maskNumber(text: string): string {
  return text.length < 7 ? '…' : `${text.slice(0, 3)}…${text.slice(-2)}`
}

const mostFiles = 10

/** Undefined for what is no text message: a delivery report, another channel of Twilio, somebody who wants no more messages. */
export function parseIncoming(form: URLSearchParams): Incoming | undefined {
  const read = (name: string): string => form.get(name)?.trim() ?? ''
  const sid = read('MessageSid')
  if (!/^[SM]M[0-9a-f]{32}$/i.test(sid) || !isNumber(read('From')) || form.has('OptOutType')) return undefined
  const count = Math.min(Number(read('NumMedia')) || 0, mostFiles)
  const files = Array.from({ length: count }, (_, index) => ({
    path: findMediaPath(read(`MediaUrl${index}`)),
    mime: read(`MediaContentType${index}`).toLowerCase() || 'application/octet-stream',
  }))
  return {
    sid,
    account: read('AccountSid'),
    from: read('From'),
    to: read('To'),
    body: form.get('Body') ?? '',
    files: files.filter(({ path }) => path !== ''),
  }
}

/** The host is left out: what opens a file of ours goes to Twilio only. */
function findMediaPath(url: string): string {
  return /\/2010-04-01\/Accounts\/AC\w{32}\/Messages\/[SM]M\w{32}\/Media\/ME\w{32}$/.exec(url)?.[0] ?? ''
}

export const isMediaPath = (path: string): boolean => path !== '' && findMediaPath(path) === path

const attempt = z.object({
  key: z.string(),
  to: z.string(),
  text: z.string(),
  /** When it was begun: milliseconds since 1970. */
  at: z.number(),
})
const memory = z.object({ attempts: z.array(attempt), sids: z.array(z.string()) })

/** A message that was handed to Twilio. */
export type Attempt = z.output<typeof attempt>

export const parseMemory = (value: unknown): z.output<typeof memory> => memory.safeParse(value).data ?? { attempts: [], sids: [] }

const listed = z.object({ sid: z.string(), to: z.string(), body: z.string(), date_created: z.string() })
const list = z.object({ messages: z.array(z.unknown()) })

export type ListedMessage = z.output<typeof listed>

/** What Twilio lists, newest first; undefined for what is no list. */
export const parseList = (text: string): readonly ListedMessage[] | undefined =>
  readJson(list, text)?.messages.flatMap((one) => listed.safeParse(one).data ?? [])

const account = z.object({ sid: z.string(), status: z.string() })
const sent = z.object({ sid: z.string().check(z.minLength(1)) })
const problem = z.object({ code: z.optional(z.number()), message: z.string() })

export const parseAccount = (text: string): z.output<typeof account> | undefined => readJson(account, text)
export const parseSentId = (text: string): string | undefined => readJson(sent, text)?.sid

/** Why Twilio refuses, with the number under which its documentation tells more. */
export function parseProblem(text: string): string | undefined {
  const { code, message } = readJson(problem, text) ?? {}
  return message === undefined ? undefined : code === undefined ? message : `${message} (${code})`
}

function readJson<T>(schema: z.ZodMiniType<T>, text: string): T | undefined {
  return schema.safeParse(parseJson(text)).data
}
