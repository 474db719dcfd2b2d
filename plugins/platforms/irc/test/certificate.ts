import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Certificate {
  /** With its key in it. */
  readonly file: string
  readonly pem: string
  /** SHA-256, as networks and `getPeerCertificate` write it. */
  readonly fingerprint: string
}

/** A certificate for localhost that vouches for itself. */
export function makeCertificate(folder: string, name: string): Certificate {
  const file = join(folder, `${name}.pem`)
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=localhost']
  const words = [...request, '-addext', 'subjectAltName=DNS:localhost', '-keyout', file, '-out', file]
  execFileSync('openssl', words, { stdio: 'ignore', timeout: 10_000 })
  const pem = readFileSync(file, 'utf8')
  return { file, pem, fingerprint: new X509Certificate(pem).fingerprint256 }
}
