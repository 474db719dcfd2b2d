import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { fail } from '@agent/plugin-sdk/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

export interface PagesOptions {
  /** Folder of the built page. */
  readonly folder: string
  /** Undefined: this browser has to log in first. */
  readonly tokenFor: (request: FastifyRequest) => string | undefined
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
}

/** Serves the page. Only files that were there at the start are served, by their names: a path that was made up finds none. */
export function servePages(server: FastifyInstance, { folder, tokenFor }: PagesOptions): void {
  const files = new Map(listFiles(folder, '').map((file) => [`/${file}`, join(folder, file)]))
  const index = files.get('/index.html')
  const read = createReader()
  server.get('/*', (request, reply) => {
    const path = request.url.split('?')[0] ?? '/'
    if (path.startsWith('/api/') || path === '/api') throw fail('HTTP_NOT_FOUND', { what: path.slice(0, 200) })
    const file = path === '/index.html' ? undefined : files.get(path)
    if (file !== undefined) return sendFile(request, reply, { path, ...read(file) })
    // Anything else is a page of the program, which knows its own addresses; what looks like a file is missing.
    if (extname(path) !== '' && path !== '/index.html') throw fail('HTTP_NOT_FOUND', { what: path.slice(0, 200) })
    return sendPage(reply, index, tokenFor(request))
  })
}

interface ServedFile {
  readonly type: string
  readonly bytes: Buffer
  /** Tells whether what a browser kept is still this. */
  readonly tag: string
  /** Made smaller at the first request; absent where that saves nothing. */
  readonly packed?: Buffer
}

/** Files do not change while the dashboard runs: each is read and made smaller once. */
function createReader(): (file: string) => ServedFile {
  const known = new Map<string, ServedFile>()
  return (file) => {
    const before = known.get(file)
    if (before) return before
    const bytes = readFileSync(file)
    const packed = gzipSync(bytes, { level: 9 })
    const type = types[extname(file)] ?? 'application/octet-stream'
    const tag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
    const read = { type, bytes, tag, ...(packed.length < bytes.length ? { packed } : {}) }
    known.set(file, read)
    return read
  }
}

/** No secret stands in a file, so that its length tells nothing; the page, in which one does, is sent as it is. */
function sendFile(request: FastifyRequest, reply: FastifyReply, file: ServedFile & { readonly path: string }): FastifyReply {
  const { path, type, bytes, tag, packed } = file
  // A name that changes with the content.
  const isHashed = /^\/assets\/.*-[\w-]{8,}\.\w+$/.test(path)
  reply
    .header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
    .header('vary', 'accept-encoding')
    .header('etag', tag)
  if (request.headers['if-none-match'] === tag) return reply.code(304).send()
  reply.type(type)
  const takes = request.headers['accept-encoding'] ?? ''
  if (packed && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(String(takes))) return reply.header('content-encoding', 'gzip').send(packed)
  return reply.send(bytes)
}

function sendPage(reply: FastifyReply, index: string | undefined, token: string | undefined): FastifyReply {
  const nonce = randomBytes(18).toString('base64url')
  const text = index === undefined ? notBuilt : readFileSync(index, 'utf8')
  const page = fill(fill(text, 'agent-token', token ?? ''), 'csp-nonce', nonce)
  return reply
    .code(index === undefined ? 503 : 200)
    .header('cache-control', 'no-store')
    .header('content-security-policy', policyOf(nonce))
    .type('text/html; charset=utf-8')
    .send(page)
}

const fill = (page: string, name: string, value: string): string =>
  page.replace(new RegExp(`(<meta name="${name}" content=")(?=")`), (_whole, start: string) => `${start}${value}`)

const notBuilt =
  '<!doctype html><meta charset="utf-8"><title>agent</title><p>The page of the dashboard is not built: run npm run build in the folder of agent, then start the dashboard again.'

const policyOf = (nonce: string): string =>
  [
    ...["default-src 'none'", "script-src 'self'", `style-src 'self' 'nonce-${nonce}'`, "style-src-attr 'none'"],
    ...["img-src 'self' data: blob:", "font-src 'self'", "connect-src 'self'", "manifest-src 'self'", "worker-src 'self'"],
    ...["base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"],
  ].join('; ')

function listFiles(folder: string, below: string): readonly string[] {
  if (!existsSync(join(folder, below))) return []
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isDirectory()) return listFiles(folder, path)
    return entry.isFile() && !entry.name.startsWith('.') ? [path] : []
  })
}
