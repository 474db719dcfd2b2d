import { createHash, timingSafeEqual } from 'node:crypto'

/** Bytes that nobody can foretell. */
export type RandomBytes = (size: number) => Uint8Array

/** A code as it is kept: a reader of it cannot tell the code. */
export interface SealedCode {
  readonly salt: string
  readonly hash: string
}

/** No I, O, 0 and 1, which look alike. 32 letters, so that five bits of chance make one without a bias. */
export const codeAlphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const codeLength = 8
const saltBytes = 16
const requestBytes = 8

export function createCode(randomBytes: RandomBytes): string {
  return Array.from(randomBytes(codeLength), (byte) => codeAlphabet[byte & 31]).join('')
}

/** The name under which a code is kept: 16 hexadecimal digits that say nothing about it. */
export function createRequestId(randomBytes: RandomBytes): string {
  return Buffer.from(randomBytes(requestBytes)).toString('hex')
}

export function sealCode(code: string, randomBytes: RandomBytes): SealedCode {
  const salt = Buffer.from(randomBytes(saltBytes)).toString('hex')
  return { salt, hash: digest(code, salt).toString('hex') }
}

/** Takes the same time whatever the code is. */
export function isCodeOf(sealed: SealedCode, code: string): boolean {
  const expected = Buffer.from(sealed.hash, 'hex')
  const given = digest(code, sealed.salt)
  return expected.length === given.length && timingSafeEqual(expected, given)
}

/** What a person copied from a chat, without blanks, hyphens and small letters. */
export function parseCode(text: string): string {
  return text.replaceAll(/[\s-]/g, '').toUpperCase()
}

function digest(code: string, salt: string): Buffer {
  return createHash('sha256').update(Buffer.from(salt, 'hex')).update(code).digest()
}
