import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import { readList } from '#kernel/curated/read-list.ts'
import type { Cli } from '../../console/cli.ts'
import { withJsonErrors } from '../../console/json-errors.ts'

export interface SignOptions {
  readonly key: string
  readonly json?: true
}

/** `agent plugins catalogs sign <file>`: writes the signature beside a list that can be read, and says which key others need. */
export async function signList(cli: Cli, word: string, options: SignOptions): Promise<void> {
  await withJsonErrors(cli, options, async () => {
    const [file, keyFile] = [resolve(cli.cwd, word), resolve(cli.cwd, options.key)]
    const bytes = read(file)
    const isNew = !existsSync(keyFile)
    const secret = isNew ? generateKeyPairSync('ed25519').privateKey : readSecret(keyFile)
    const key = createPublicKey(secret).export({ format: 'der', type: 'spki' }).toString('base64')
    const signature = sign(null, bytes, secret).toString('base64')
    try {
      readList(bytes, signature, key)
    } catch (cause) {
      throw wrong(`The catalog ${file} ${detailOf(cause)}.`, cause)
    }
    if (isNew) writeFileSync(keyFile, secret.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600, flag: 'wx' })
    writeFileSync(`${file}.sig`, `${signature}\n`)
    if (options.json) return cli.json({ signature: `${file}.sig`, key, newKey: isNew })
    if (isNew) cli.out(`${keyFile} is a new key. Who has it can sign for you: keep it where the list is not.`)
    cli.out(`${file}.sig is written. Put both files side by side; others need this in config.yaml:`)
    cli.out(`plugins:\n  catalogs:\n    - url: ADDRESS OF THE FILE\n      signed_by: ${key}`)
  })
}

function readSecret(file: string): KeyObject {
  try {
    const key = createPrivateKey(read(file))
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch (cause) {
    throw wrong(`${file} is no private key in the form PEM.`, cause)
  }
  throw wrong(`${file} is no ed25519 key.`)
}

function read(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (cause) {
    throw wrong(`${file} cannot be read: ${detailOf(cause)}.`, cause)
  }
}

function wrong(problem: string, cause?: unknown): Error {
  return fail('USAGE', { problem, try: 'agent plugins catalogs sign catalog.json --key key.pem' }, { cause })
}
