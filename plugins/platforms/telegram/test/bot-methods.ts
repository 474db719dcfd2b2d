import {
  bad,
  bot,
  findChat,
  findMessage,
  type Given,
  type KeptMessage,
  mostCaption,
  mostText,
  readKeyboard,
  readText,
  readTopic,
  type World,
} from './bot-chats.ts'
import { Refusal } from './refusal.ts'

type Method = (world: World, given: Given) => unknown

function keep(world: World, given: Given, content: Pick<KeptMessage, 'text' | 'entities'> & Partial<Pick<KeptMessage, 'file'>>): unknown {
  const chat = findChat(world.chats, given)
  const reply = given.reply_parameters as { message_id?: number; allow_sending_without_reply?: boolean } | undefined
  const answered = world.messages.find(({ id, chat: where }) => where === chat.id && id === reply?.message_id)
  if (reply && !answered && !reply.allow_sending_without_reply) throw bad('message to be replied not found')
  const message: KeptMessage = {
    ...content,
    id: world.nextId,
    chat: chat.id,
    topic: readTopic(chat, given),
    fromBot: true,
    keyboard: readKeyboard(given),
    silent: given.disable_notification === true,
    replyTo: answered?.id,
    reactions: [],
  }
  world.nextId += 1
  world.messages.push(message)
  return { message_id: message.id, date: 1_700_000_000, chat: { id: chat.id, type: chat.type } }
}

const sendMessage: Method = (world, given) => {
  const content = readText(given, 'text', mostText)
  if (content.text.trim() === '') throw bad('message text is empty')
  return keep(world, given, content)
}

const isPicture = (bytes: Uint8Array): boolean => [0x89, 0xff, 0x52].includes(bytes[0] ?? 0)

const sendFile =
  (field: string): Method =>
  async (world, given) => {
    const content = readText(given, 'caption', mostCaption)
    const upload = given[field]
    if (!(upload instanceof File)) throw bad(`there is no ${field} in the request`)
    const bytes = new Uint8Array(await upload.arrayBuffer())
    if (field === 'photo' && !isPicture(bytes)) throw bad('IMAGE_PROCESS_FAILED')
    return keep(world, given, { ...content, file: { field, name: upload.name, bytes } })
  }

/** Changes a message of the bot; what stays as it was is refused. */
function change(world: World, given: Given, next: Partial<Pick<KeptMessage, 'text' | 'entities'>>): unknown {
  const chat = findChat(world.chats, given)
  const message = findMessage(world.messages, chat, given.message_id, 'message to edit not found')
  if (!message.fromBot) throw bad("message can't be edited")
  const keyboard = readKeyboard(given)
  const was = JSON.stringify([message.text, message.entities, message.keyboard])
  const after = { text: message.text, entities: message.entities, ...next, keyboard }
  if (was === JSON.stringify([after.text, after.entities, after.keyboard])) {
    throw bad('message is not modified: specified new message content and reply markup are exactly the same')
  }
  Object.assign(message, after)
  return { message_id: message.id }
}

const editMessageText: Method = (world, given) => {
  const message = world.messages.find(({ id }) => id === Number(given.message_id))
  if (message?.file) throw bad('there is no text in the message to edit')
  const content = readText(given, 'text', mostText)
  if (content.text.trim() === '') throw bad('message text is empty')
  return change(world, given, content)
}

const known = new Set(['👍', '👎', '👀', '❤', '🔥'])

const setMessageReaction: Method = (world, given) => {
  const chat = findChat(world.chats, given)
  const message = findMessage(world.messages, chat, given.message_id, 'message to react not found')
  const emojis = (given.reaction as { emoji: string }[]).map(({ emoji }) => emoji)
  if (emojis.length > 1 || emojis.some((emoji) => !known.has(emoji))) throw bad('REACTION_INVALID')
  message.reactions = emojis
  return true
}

const setMyCommands: Method = (world, { commands }) => {
  const list = commands as World['menu']
  if (list.length > 100) throw bad('BOT_COMMANDS_TOO_MUCH')
  if (list.some(({ command }) => !/^[a-z0-9_]{1,32}$/.test(command))) throw bad('BOT_COMMAND_INVALID')
  if (list.some(({ description }) => description.length < 1 || description.length > 256)) throw bad('BOT_COMMAND_DESCRIPTION_INVALID')
  world.menu = list
  return true
}

const answerCallbackQuery: Method = (world, given) => {
  if (!world.queries.delete(String(given.callback_query_id))) {
    throw bad('query is too old and response timeout expired or query ID is invalid')
  }
  if (String(given.text ?? '').length > 200) throw bad('MESSAGE_TOO_LONG')
  world.notices.push(given)
  return true
}

const getUpdates: Method = ({ queue, webhook }, { offset, timeout }) => {
  if (webhook.url !== '') throw new Refusal(409, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook first")
  return queue.poll(offset as number | undefined, Number(timeout ?? 0) > 0)
}

const setWebhook: Method = ({ queue, webhook }, given) => {
  const secret = String(given.secret_token ?? '')
  if (!/^[\w-]{0,256}$/.test(secret)) throw bad('secret token contains unallowed characters')
  Object.assign(webhook, { url: String(given.url ?? ''), secret })
  if (given.drop_pending_updates) queue.clear()
  return true
}

/** What the Bot API can be asked for. */
export const methods: Readonly<Record<string, Method>> = {
  getMe: () => bot,
  getUpdates,
  setWebhook,
  deleteWebhook: (world, given) => setWebhook(world, { ...given, url: '' }),
  getWebhookInfo: ({ webhook, queue }) => ({ url: webhook.url, pending_update_count: queue.waiting().length }),
  sendMessage,
  sendPhoto: sendFile('photo'),
  sendAnimation: sendFile('animation'),
  sendVoice: sendFile('voice'),
  sendAudio: sendFile('audio'),
  sendVideo: sendFile('video'),
  sendDocument: sendFile('document'),
  editMessageText,
  editMessageCaption: (world, given) => change(world, given, readText(given, 'caption', mostCaption)),
  editMessageReplyMarkup: (world, given) => change(world, given, {}),
  sendChatAction: (world, given) => {
    findChat(world.chats, given)
    world.typings.push(given)
    return true
  },
  setMessageReaction,
  setMyCommands,
  answerCallbackQuery,
  getFile: ({ files, paths }, { file_id: id }) => {
    if (paths.has(String(id))) return { file_id: id, file_path: paths.get(String(id)) }
    if (!files.has(String(id))) throw bad('wrong file_id or the file is temporarily unavailable')
    return { file_id: id, file_path: `documents/${String(id)}` }
  },
}
