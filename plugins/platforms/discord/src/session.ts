import { fail } from '@agent/plugin-sdk/errors'
import { type OpcodeEnding, type OpcodeSession, type OpcodeSessionOptions, openOpcodeSession } from '@agent/plugin-sdk/http'
import { platform, tokenHint } from './api.ts'
import { read, wire } from './wire.ts'

/** GUILDS, GUILD_MESSAGES, DIRECT_MESSAGES and MESSAGE_CONTENT. */
const intents = (1 << 0) | (1 << 9) | (1 << 12) | (1 << 15)

type Options = Omit<OpcodeSessionOptions, 'platform' | 'describeClose' | 'identify' | 'resume' | 'resumeUrl'>

/** Begins a session with the gateway of Discord. */
export async function openSession({ url, token, ...options }: Options & { readonly token: string }): Promise<OpcodeSession> {
  const address = (base: string): string => `${base.replace(/\/+$/, '')}/?v=10&encoding=json`
  return await openOpcodeSession({
    ...options,
    platform,
    url: address(url),
    describeClose,
    identify: { token, intents, properties: { os: process.platform, browser: 'agent', device: 'agent' } },
    resume: (session_id, seq) => ({ token, session_id, seq }),
    resumeUrl: (ready) => address(read(wire.ready, ready)?.resume_gateway_url ?? url),
  })
}

/** After a wrong sequence, and too long a silence. */
const sessionOver = new Set([4007, 4009])
/** Close codes that no new connection mends, with what has to be done. */
const final: Readonly<Record<number, string>> = {
  4004: `the gateway does not know the token; ${tokenHint}`,
  ...Object.fromEntries([4010, 4011, 4012, 4013].map((code) => [code, `the gateway does not take this bot for good (${code})`])),
  4014: 'the Message Content Intent is off; switch it on under Bot, Privileged Gateway Intents, at https://discord.com/developers/applications',
}

function describeClose(code: number, reason: string): OpcodeEnding {
  const why = final[code]
  if (why !== undefined) return { error: fail('PLATFORM_AUTH', { platform, detail: why }), resumable: false }
  const detail = `the gateway closed with ${code}${reason === '' ? '' : `: ${reason}`}`
  return { error: fail('PLATFORM_LOST', { platform, detail }), resumable: !sessionOver.has(code) }
}
