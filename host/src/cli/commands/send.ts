import { Command } from 'commander'
import type { Cli } from '../console/cli.ts'
import type { SendOptions } from '../send/send-message.ts'

export function command(cli: Cli): Command {
  return new Command('send')
    .description('Send a message to a person or a channel.')
    .argument('<target>', 'platform, platform:conversation, platform:#name, or local')
    .argument('[text...]', 'what is said; read from standard input when it is left out')
    .option('--file <path>', 'take the text from a text file')
    .option('--no-wait', 'queue it and do not wait until it is sent')
    .option('--exact', 'take the target as it is written, also where it is like a known one')
    .option('--json', 'as JSON')
    .addHelpText('after', help)
    .action(async (target: string, words: readonly string[], options: SendOptions) =>
      (await import('../send/send-message.ts')).sendMessage(cli, target, words, options),
    )
}

const help = `
A line MEDIA:<path> in the text sends that file along; [[as_document]] sends it as a document, also where it is an image.

  agent send PLATFORM "The backup is done."
  df -h | agent send PLATFORM:#ops
  agent send PLATFORM:ann $'Look at this.\\nMEDIA:/tmp/rose.jpg'
`
