import { callPipe, orderPipe } from './interpreter/pipes.ts'
import { scriptTools } from './interpreter/script-tools.ts'
import { javascriptHelper } from './javascript-helper.ts'
import { pythonHelper } from './python-helper.ts'

export type Language = 'python' | 'javascript'

const pipes = { calls: callPipe, orders: orderPipe }

/** The program that runs scripts of this language, with the helper that takes them. */
export function interpreterWords(language: Language): readonly string[] {
  if (language === 'python') return ['/usr/bin/env', 'python3', '-c', pythonHelper(pipes, scriptTools)]
  const words = [process.execPath, '--no-warnings', '--input-type=module', '--eval', javascriptHelper(pipes, scriptTools)]
  // Node 24 hands the limits of a plugin's process on to each Node that it starts, by this variable; scripts have those of the sandbox.
  return ['/usr/bin/env', '-u', 'NODE_OPTIONS', ...words]
}

/** Why a script ended in another way than it should. */
export function whyItEnded(language: Language, { code, signal }: { readonly code: number | null; readonly signal: string | null }): string {
  // What `env` says of a program that it does not find.
  if (language === 'python' && code === 127) return 'there is no python3 on this machine. Write the script in JavaScript'
  return code === null ? `the script was ended by ${signal}` : `the script ended with exit code ${code}`
}
