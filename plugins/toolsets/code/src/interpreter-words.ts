import { javascriptHelper } from './javascript-helper.ts'
import { pythonHelper } from './python-helper.ts'
import { scriptTools } from './script-tools.ts'
import { callPipe } from './start-script.ts'

export type Language = 'python' | 'javascript'

/** The program that runs a script of this language, with the words that make it begin with the helper and then read the script. */
export function interpreterWords(language: Language): readonly string[] {
  if (language === 'python') return ['/usr/bin/env', 'python3', '-c', pythonHelper(callPipe, scriptTools)]
  const helper = `data:text/javascript,${encodeURIComponent(javascriptHelper(callPipe, scriptTools))}`
  return [process.execPath, '--no-warnings', '--input-type=module', '--import', helper, '-']
}

/** Why a script ended in another way than it should. */
export function whyItEnded(language: Language, { code, signal }: { readonly code: number | null; readonly signal: string | null }): string {
  // What `env` says of a program that it does not find.
  if (language === 'python' && code === 127) return 'there is no python3 on this machine. Write the script in JavaScript'
  return code === null ? `the script was ended by ${signal}` : `the script ended with exit code ${code}`
}
