import type { Call, Connection, Conversation, Mood } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { replies } from './wire.ts'
import type { App, Workspace } from './workspaces.ts'

const marks: Readonly<Record<Mood, string>> = { seen: 'eyes', done: 'white_check_mark', failed: 'x' }

/** What people see besides messages, and where the bot can speak. */
export function createSigns(app: App): Required<Pick<Connection, 'react' | 'typing' | 'endTyping' | 'listConversations'>> {
  // Slack shows that somebody writes only in a thread.
  const setStatus = async (conversation: string, status: string, { signal }: Call): Promise<void> => {
    const [channel_id = '', thread_ts] = conversation.split('/')
    if (thread_ts === undefined) return
    await app.locate(channel_id).api.ask(replies.done, 'assistant.threads.setStatus', { channel_id, thread_ts, status }, signal)
  }
  return {
    react: async ({ id, account, conversation }, mood, { signal }) => {
      const timestamp = id.split(':').at(-1) ?? ''
      // A command of the menu is no message.
      if (!/^\d+\.\d+$/.test(timestamp)) return
      const [channel = ''] = conversation.split('/')
      const { api } = app.find(account) ?? app.locate(channel)
      const mark = (method: string, name: string, fine: string): Promise<unknown> =>
        api.ask(replies.done, method, { channel, timestamp, name }, signal).catch((error: unknown) => {
          if (!isAgentError(error) || error.params.detail !== fine) throw error
        })
      await mark('reactions.add', marks[mood], 'already_reacted')
      if (mood !== 'seen') await mark('reactions.remove', marks.seen, 'no_reaction')
    },
    typing: (conversation, call) => setStatus(conversation, app.settings.typing_status_text, call),
    // A new message ends it, an edited one does not.
    endTyping: (conversation, call) => setStatus(conversation, '', call),
    listConversations: async (call) => (await Promise.all(app.workspaces.map((one) => listChannels(app, one, call)))).flat(),
  }
}

async function listChannels(app: App, { api, team }: Workspace, { signal }: Call): Promise<readonly Conversation[]> {
  const found: Conversation[] = []
  const values = { types: 'public_channel,private_channel,mpim,im', exclude_archived: true, limit: 200 }
  for await (const { channels } of api.pages(replies.channels, 'users.conversations', values, signal)) {
    for (const { id, name, is_im, is_mpim } of channels) {
      app.learn(id, team)
      found.push({ id, kind: is_im ? 'dm' : is_mpim ? 'group' : 'channel', ...(name && { name }) })
    }
  }
  return found
}
