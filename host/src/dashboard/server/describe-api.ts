import * as z from 'zod/mini'
import { cookieName } from '../auth/gate.ts'
import { tokenHeader } from '../auth/token.ts'

/** What is told of a route. */
export interface KnownRoute {
  readonly method: string
  readonly url: string
  readonly takes: z.ZodMiniType
}

interface InputSchema {
  readonly properties?: Readonly<Record<string, object>>
  readonly required?: readonly string[]
}

const profile = {
  name: 'profile',
  in: 'query',
  description: 'The profile that is meant; one in the body holds before it.',
  schema: { type: 'string' },
}

/** The doors of the dashboard as an OpenAPI 3.1 document, made of the schemas by which what comes in is checked. */
export function describeApi(routes: readonly KnownRoute[], version: string): object {
  const paths: Record<string, Record<string, object>> = {}
  const schemas: Record<string, object> = { Failure: failure }
  for (const route of routes) {
    const path = route.url.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Dashboard of agent', version, license: { name: 'MIT', identifier: 'MIT' } },
    security: [{ token: [] }, { login: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: tokenHeader, description: 'The value of AGENT_DASHBOARD_SESSION_TOKEN.' },
        login: { type: 'apiKey', in: 'cookie', name: cookieName, description: 'The session of a browser that has logged in.' },
      },
      schemas,
    },
  }
}

const failure = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', description: 'A code of the table of errors.' },
        message: { type: 'string' },
        fields: { type: 'object', additionalProperties: { type: 'string' }, description: 'What is wrong with a field, by its name.' },
      },
    },
  },
}

function describeRoute({ method, url, takes }: KnownRoute, schemas: Record<string, object>): object {
  const id = `${method.toLowerCase()}${url.replace('/api', '').replace(/[/:.-]+(\w)/g, (_all, first: string) => first.toUpperCase())}`
  const schema = inputOf(takes, id, schemas)
  const names = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const inPath = names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
  const inQuery = method === 'GET' ? queryOf(schema) : []
  const takesBody = method !== 'GET' && Object.keys(schema.properties ?? {}).length > 0
  const body = { required: (schema.required ?? []).length > 0, content: { 'application/json': { schema } } }
  return {
    operationId: id,
    tags: [url.split('/')[2]],
    parameters: [...inPath, ...inQuery, profile],
    ...(takesBody ? { requestBody: body } : {}),
    responses: {
      200: { description: 'It is done.', content: { 'application/json': {} } },
      default: { description: 'It is not done.', content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } } },
    },
  }
}

/** What a schema refers to in itself goes among those of the document. */
function inputOf(takes: z.ZodMiniType, id: string, schemas: Record<string, object>): InputSchema {
  const written = JSON.stringify(z.toJSONSchema(takes, { io: 'input', unrepresentable: 'any' })).replaceAll(
    '"#/$defs/',
    `"#/components/schemas/${id}`,
  )
  const {
    $schema: _,
    $defs = {},
    ...schema
  } = JSON.parse(written) as InputSchema & {
    readonly $schema?: string
    readonly $defs?: Readonly<Record<string, object>>
  }
  for (const [name, inner] of Object.entries($defs)) schemas[`${id}${name}`] = inner
  return schema
}

const queryOf = ({ properties = {}, required = [] }: InputSchema): readonly object[] =>
  Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: required.includes(name), schema }))
