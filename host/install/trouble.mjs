/** A failure that the user can mend: its message is printed as it is, without a stack. */
export class Trouble extends Error {
  constructor(sentence, options) {
    super(sentence, options)
    this.name = 'Trouble'
  }
}

const causes = [
  [/ENOSPC|no space left/i, 'The disk is full: free about 500 MB where this checkout and the npm cache are, then run the command again.'],
  [
    /EUSAGE|in sync/,
    'package-lock.json does not fit the package.json files of this checkout: run `npm install` once, or restore both from the repository.',
  ],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT|network/i,
    'The package registry could not be reached: check the network (or the registry and proxy settings of npm), then run the command again.',
  ],
  [/EACCES|EPERM|EROFS/, 'This user may not write into the checkout or the npm cache: give it the rights, or clone the repository again.'],
  [/EBADENGINE/, 'A package refuses this version of Node.js: install a current Node 20, 22 or 24.'],
]

/** The one sentence for a failed npm run, found in what it printed; undefined where none fits. */
export function explainInstallFailure(output) {
  return causes.find(([pattern]) => pattern.test(output))?.[1]
}

/** The same for errors of the file system met by the installer itself. */
export function explainError(error) {
  if (error instanceof Trouble) return error.message
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
  return causes.find(([pattern]) => code !== '' && pattern.test(code))?.[1]
}
