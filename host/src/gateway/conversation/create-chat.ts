import type { InboundMessage } from '@agent/plugin-sdk'
import type { ChatDoor, SlashServices } from '#commands/slash.ts'
import { mayGive } from '../authorise/may-give.ts'
import { describeTier } from '../authorise/user-tiers.ts'
import type { PlatformRules } from '../rules/platform-rules.ts'
import type { AskPeople } from './ask-people.ts'
import { quoteName } from './quote.ts'
import type { RunningTurns } from './running-turns.ts'

export interface CreateChatOptions {
  readonly rules: PlatformRules
  readonly running: RunningTurns
  readonly people: Pick<AskPeople, 'decide'>
  readonly services: Pick<SlashServices, 'setHome'>
  /** Whether the owner has let in this very person. */
  readonly isKnown: (platform: string, message: InboundMessage) => boolean
  readonly now: () => number
}

/** The conversation of a message, as commands see it. */
export function createChat(options: CreateChatOptions, platform: string, message: InboundMessage): ChatDoor & { status(): string } {
  const { rules, running, people, services, now } = options
  const { settings } = rules.of(platform)
  const { sender, conversation } = message
  return {
    whoAmI: () =>
      `You are ${quoteName(sender)}, known here as ${sender.id}, in the ${conversation.kind} ${conversation.id} of ${platform}. You ${describeTier(settings, message)}.`,
    status: () => {
      const turns = running.inConversation(platform, message)
      const lines = turns.map(({ startedAt, background }) => {
        const seconds = Math.round((now() - startedAt) / 1000)
        return `${background ? 'In the background' : 'Here'} I have been working for ${seconds} s.`
      })
      return lines.join('\n') || 'Nothing is going on here.'
    },
    decide: (choice) => people.decide(platform, message, choice),
    setHome: async () => {
      const variable = await services.setHome(platform, conversation.id)
      if (variable !== undefined) return `It is kept, but ${variable} is set and says otherwise.`
      rules.setHome(platform, conversation.id)
      return `From now on I report here what concerns ${platform}.`
    },
    mayUse: (command) => mayGive(settings, message, command, () => options.isKnown(platform, message)),
  }
}
