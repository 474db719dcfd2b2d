import { readPlatformSettings } from '#config/platform-settings.ts'
import { findInstance } from '#gateway/instance/instance.ts'
import { answerParts } from '#gateway/outbound/replies.ts'
import type { LetIn } from '#gateway/pairing/pairing.ts'
import { newId } from '#kernel/ids.ts'
import type { HomePairing } from './open-home-pairing.ts'

const welcome = 'My owner has let you in: you can write to me here now. /help lists the commands.'

/** Tells a person where they asked that they were let in: now where a gateway runs, else when it starts. Answers with what the owner reads. */
export async function tellLetIn({ opened, journal }: HomePairing, platform: string, { account, conversation }: LetIn): Promise<string> {
  const { catalog, loaded, home } = opened
  const specs = catalog.plugins.flatMap(({ installed }) => installed?.manifest.contributes.platforms ?? [])
  // It may run in the gateway although it would not run here, for a variable that only the gateway has.
  const spec = specs.find(({ id }) => id === platform)
  if (conversation === undefined || spec === undefined) return 'Nobody has told them: tell them yourself.'
  const { reply_prefix: prefix } = readPlatformSettings(loaded, platform).settings
  const parts = await answerParts(welcome, undefined, { spec, prefix })
  await journal.post({ platform, account, conversation }, parts, newId('msg'))
  return findInstance(home) ? 'They are told so there.' : 'No gateway runs: they are told so when it starts.'
}
