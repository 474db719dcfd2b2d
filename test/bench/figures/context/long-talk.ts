import { mkdirSync } from 'node:fs'
import { countBreaks, isTold, openLongTalk, startTalkModel, useTalkModel, writePiers } from '../../../support/chats/long-talk.ts'
import { openTestHome } from '../../../support/test-home.ts'
import type { Figure } from '../../figure.ts'

const turns = 400

/** A conversation of 400 turns in a small window: how often a request does not begin with the bytes of the one before it. */
export const longTalk: Figure = {
  name: 'long-talk',
  async measure({ folder, signal }) {
    mkdirSync(folder, { recursive: true })
    using home = openTestHome(folder)
    await using model = await startTalkModel()
    useTalkModel(home, model, 'store: { durability: process }\n')
    writePiers(home.work)
    await using talk = await openLongTalk(home, 'built')
    let told = 0
    for (let turn = 1; turn <= turns; turn++) {
      signal.throwIfAborted()
      if ((await talk.say(turn)).some(isTold)) told++
    }
    const breaks = countBreaks(model.asked())
    const longest = Math.max(...model.asked().map(({ raw }) => raw.length))
    return [
      {
        figure: 'prefix-breaks',
        budget: 'as many as compressions',
        floor: `${told} compressions`,
        value: `${breaks}`,
        ok: breaks === told && model.notes() === told,
        note: `requests of ${turns} turns that do not begin with the bytes of the one before; the longest has ${longest.toLocaleString('en-US')} bytes`,
      },
    ]
  },
}
