import type { Actor, Result, Service } from '@countersign/core'
import { type AnyOperation, inputOf, type Members, textInputOf } from '@countersign/core/kernel'
import { member } from '../callers.ts'
import { json, jsonBody, noBody } from '../media.ts'
import type { Route } from '../operation.ts'
import { reply, route } from '../route.ts'
import { answerSchema, inputSchema } from './schema.ts'

type Method = (actor: Actor, input: object) => Promise<Result<object>>

/**
 * The row of an operation of members. Members of its input that the path names come from there, all others from the
 * body, or from the query where the method has none.
 */
export function http(
  operation: AnyOperation,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
): Route {
  const { name, doc, right, takes, gives, refuses } = operation
  const inPath = Array.from(path.matchAll(/:(\w+)/g), ([, parameter = '']) => parameter)
  const others: Members = Object.fromEntries(
    Object.entries(takes as Members).filter(([each]) => !inPath.includes(each)),
  )
  const hasBody = method === 'POST' || method === 'PUT'
  return route({
    ...member,
    name,
    summary: doc,
    right,
    method,
    path,
    query: inputSchema(hasBody ? {} : others, (given) => textInputOf(others, given)),
    body: hasBody ? jsonBody(inputSchema(others, (given) => inputOf(others, given))) : noBody,
    answer: json(answerSchema(gives)),
    refuses,
    handle: async ({ service, actor, param, query, body }) => {
      const ids = Object.fromEntries(
        inPath.map((parameter) => [parameter, param(parameter as never)]),
      )
      return reply(await methodOf(service, name)(actor, { ...ids, ...query, ...body }))
    },
  })
}

/** The method of the facade that an operation is; its input was checked, and is again. */
function methodOf(service: Service, name: string): Method {
  const [group = '', act = ''] = name.split('.')
  const groups = service as unknown as Readonly<Record<string, Readonly<Record<string, Method>>>>
  const method = groups[group]?.[act]
  if (!method) throw new Error(`expected a service with the operation ${name}`)
  return method
}
