import type { Json } from './json-schema.ts'

interface Message {
  readonly name: string
  readonly summary: string
  readonly payload: Json
  readonly traits: readonly { readonly $ref: string }[]
}

interface Headers {
  readonly properties: Readonly<Record<string, Json>>
  readonly required: readonly string[]
}

/**
 * The messages of the AsyncAPI document as webhooks of an OpenAPI document, for a page that shows both alike: what is
 * sent is there an operation of the receiver.
 */
export function webhooksOf(asyncapi: Json): Json {
  const { info, channels, operations, components } = asyncapi as {
    readonly info: { readonly version: string; readonly description: string }
    readonly channels: Readonly<Record<string, Json>>
    readonly operations: Readonly<Record<string, Json>>
    readonly components: {
      readonly messages: Readonly<Record<string, Message>>
      readonly messageTraits: Readonly<Record<string, { readonly headers: Headers }>>
    }
  }
  const sent = Object.values(operations).map((operation) => {
    const name = nameOf(operation.channel)
    const channel = channels[name] ?? {}
    const messages = Object.keys(channel.messages as object)
    return { name, channel, operation, messages }
  })
  return {
    openapi: '3.1.1',
    info: { title: 'Countersign, events', version: info.version, description: info.description },
    tags: sent.map(({ name, channel, operation }) => ({
      name,
      'x-displayName': channel.title,
      description: `${channel.description}\n\n${operation.description}`,
    })),
    paths: {},
    webhooks: Object.fromEntries(
      sent.flatMap(({ name, messages }) =>
        messages.map((type) => [type, { post: operationOf(name, type) }]),
      ),
    ),
  }

  function operationOf(tag: string, type: string): Json {
    const { summary, payload, traits } = components.messages[type] as Message
    const family = nameOf(traits[0])
    const { properties, required } = components.messageTraits[family]?.headers ?? none
    return {
      operationId: type,
      tags: [tag],
      summary: type,
      description: summary,
      parameters: Object.entries(properties)
        // OpenAPI says it with the body.
        .filter(([header]) => header !== 'Content-Type')
        .map(([header, { description, ...schema }]) => ({
          name: header,
          in: 'header',
          required: required.includes(header),
          description,
          schema,
        })),
      requestBody: { required: true, content: { 'application/json': { schema: payload } } },
      responses: { '2XX': { description: 'Stored.' } },
    }
  }
}

const none: Headers = { properties: {}, required: [] }

function nameOf(reference: unknown): string {
  return (reference as { readonly $ref: string }).$ref.split('/').at(-1) ?? ''
}
