import type { Disturbance } from '@agent/plugin-sdk/testing'
import { config } from '../src/config.ts'
import type { MessageBody } from './check-message.ts'
import { openGraphServer } from './graph-server.ts'
import { troublesOf } from './troubles.ts'

export const phoneNumberId = '106540352242922'
export const wabaId = '102290129340398'
export const person = '15550002222'

export const secretsWith = (token: string): Record<string, string> => ({
  WHATSAPP_CLOUD_PHONE_NUMBER_ID: phoneNumberId,
  WHATSAPP_CLOUD_ACCESS_TOKEN: token,
  WHATSAPP_CLOUD_APP_SECRET: 'app-secret',
  WHATSAPP_CLOUD_VERIFY_TOKEN: 'verify-token',
})

export const openNumber = (now = Date.now) =>
  openGraphServer({ phoneNumberId, wabaId, accessToken: 'right-token', appSecret: 'app-secret', now })

const kinds = ['image', 'video', 'audio', 'document'] as const
const choicesOf = ({ interactive }: MessageBody): readonly { readonly id: string; readonly title: string }[] => [
  ...(interactive?.action.buttons ?? []).map(({ reply }) => reply),
  ...(interactive?.action.sections ?? []).flatMap(({ rows }) => rows),
]

/** What people read of a message. */
export const readWords = (one: MessageBody): string =>
  one.text?.body ?? one.interactive?.body.text ?? kinds.map((kind) => one[kind]?.caption ?? '').join('')

/** A phone number and somebody who writes to it, in the terms of the contract suite. */
export async function openWhatsappWorld() {
  const server = await openNumber()
  const silent = await openNumber()
  silent.fallSilent()
  let count = 0
  let last: Readonly<Record<string, unknown>> = {}
  const say = async (content: Readonly<Record<string, unknown>>): Promise<void> => {
    count += 1
    const message = { from: person, id: `wamid.in${count}`, timestamp: '1700000000', ...content }
    last = { contacts: [{ profile: { name: 'Ann' }, wa_id: person }], messages: [message] }
    await server.call(last)
  }
  const settings = config.parse({ base_url: server.url })
  return {
    config: settings,
    secrets: secretsWith('right-token'),
    onListen: (url: string) => server.listenAt(url),
    account: phoneNumberId,
    conversation: person,
    refused: { config: settings, secrets: secretsWith('wrong-token') },
    silent: { config: config.parse({ base_url: silent.url }), secrets: secretsWith('right-token') },
    sent: () => server.messages.map(readWords),
    receiveOne: (text: string) => say({ type: 'text', text: { body: text } }),
    redeliver: async () => void (await server.call(last)),
    receiveFile: (file: { readonly name: string; readonly mime: string; readonly bytes: Uint8Array }) =>
      say({ type: 'image', image: { id: server.keepFile(file), mime_type: file.mime } }),
    files: () => server.messages.flatMap((one) => kinds.flatMap((kind) => server.files.get(one[kind]?.id ?? '') ?? [])),
    typings: () => server.typings.length,
    marks: () => [server.marks.get(`wamid.in${count}`) ?? []].flat(),
    // Buttons stay in view for ever on WhatsApp; those of the last message are what is asked now.
    buttons: () => choicesOf(server.messages.at(-1) ?? {}).map(({ title }) => title),
    press: async (label: string) => {
      const question = server.messages.findLast((one) => choicesOf(one).length > 0)
      const choice = question && choicesOf(question).find(({ title }) => title === label)
      const context = { from: '15550001111', id: question?.id }
      await say({ type: 'interactive', context, interactive: { type: 'button_reply', button_reply: choice } })
    },
    disturb: (what: Disturbance) => {
      const act = troublesOf(server)[what]
      act?.()
      return act !== undefined
    },
    loseReceipt: () => server.breakNext({ type: 'lose-answer' }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([server, silent].map((one) => one[Symbol.asyncDispose]()))
    },
  }
}
