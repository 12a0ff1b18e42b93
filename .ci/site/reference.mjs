// Reference pages that are made from declarations: the route table, the catalogue of events and the codes of refusals.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { operationTables } from '../interface.mjs'
import { changeLinks } from '../markdown.mjs'
import { home } from '../packages.mjs'

const built = (file) => import(pathToFileURL(join(home, file)).href)
const { routes, statusOf } = await built('adapters/koa/dist/index.js')
const { cures, meanings } = await built('adapters/koa/dist/refusal.js')
const { errorCodesOf } = await built('adapters/koa/dist/description/error-codes.js')
const { describeApi } = await built('adapters/koa/dist/description/documents.js')
const { readSources } = await built('adapters/koa/dist/description/read-sources.js')
const { catalogue, isList, membersOf, shapeOf } = await built('core/dist/base/events/index.js')
const sources = readSources()

const document = 'core/docs/interface.md'
/** How many operations a code names; of more it says how many there are. */
const mostNamed = 12

/** Codes with which every operation may refuse. */
const usual = new Set(
  Object.keys(statusOf).filter((code) => routes.every((row) => errorCodesOf(row).has(code))),
)

const codeLink = (code) => `[${code}](/reference/errors#${code})`

/** A page's text without its title, by name; `linkOf` makes a link of a document one of the site. */
export function makeReference(name, linkOf) {
  const linked = (text) => changeLinks(text, (target) => linkOf(document, target))
  return linked(makers[name]())
}

/** Files that the site has beside its pages, by name: the documents of the API for programs. */
export const documents = () => describeApi(sources)

const makers = { api, events, errors }

const anchorOf = ({ host, name }) => `${host}-${name.replaceAll('.', '-').toLowerCase()}`

function api() {
  const hosts = Object.entries(operationTables).map(([heading, [head, rows]]) => {
    const host = heading.split(' ')[0].toLowerCase()
    const operations = rows.map((cells) => operation(host, head, cells))
    return [`## ${heading} {#${host}}`, link(host), ...operations].join('\n\n')
  })
  return [
    `Every operation by its host, as the route table declares it: who may call it, what it takes and answers, and with which codes it refuses beside those of all: ${[...usual].map(codeLink).join(', ')}. Members of bodies, with their limits, are in the documents for programs and in [one page](/api.html){target="_self"} made of them. What all have in common is in [Interface](interface.md#conventions).`,
    ...hosts,
  ].join('\n\n')
}

const link = (host) => `OpenAPI 3.1: [openapi-${host}.json](/openapi-${host}.json){target="_self"}`

function operation(host, head, cells) {
  const [name, method, path, who, takes, answers] = cells
  const row = routes.find((each) => each.host === host && each.name === name)
  const codes = [...errorCodesOf(row)].filter((code) => !usual.has(code)).sort()
  const linked = codes.map(codeLink)
  const lines = [
    [head[3], who],
    ['Takes', takes],
    ['Answers', answers],
    ['Refuses with', linked.join(', ')],
  ]
  return [
    `### ${name} {#${anchorOf({ host, name })}}`,
    `${row.summary}.`,
    `\`${method} ${path}\``,
    lines
      .filter(([, text]) => text)
      .map(([title, text]) => `- **${title}**: ${text}`)
      .join('\n'),
  ].join('\n\n')
}

function events() {
  const types = Object.entries(catalogue).map(([type, { family, envelope }]) => {
    const members = memberLines(shapeOf(type)).map(([member, form]) => `| ${member} | ${form} |`)
    return [
      `## ${type} {#${type.replaceAll('.', '-')}}`,
      `Sent when: ${occasionOf(type)}. Family \`${family}\`, envelope \`${envelope}\`.`,
      ['| Member | Type |', '|---|---|', ...members].join('\n'),
    ].join('\n\n')
  })
  return [
    `Every type of event with the members of its body, as the catalogue declares them. What the members mean is in [Interface](interface.md#events), how messages are signed and sent in [Delivery](interface.md#delivery). For programs: [asyncapi.json](/asyncapi.json){target="_self"}.`,
    ...types,
  ].join('\n\n')
}

/** When it is sent; steps of a case by their rows of the table of transitions. */
function occasionOf(type) {
  const occasion = sources.words.occasions[type]
  const ofCase = /^rows? \d/.test(occasion)
  return ofCase ? `${occasion} of the [transition table](interface.md#transition-table)` : occasion
}

const kinds = {
  text: 'string',
  time: 'time',
  count: 'integer',
  number: 'number',
  reason: '[reason category](interface.md#reason-categories)',
  texts: 'array of strings',
  numbers: 'object of numbers',
  object: 'object',
  json: 'any JSON',
}

function memberLines(members, path = '') {
  return membersOf(members).flatMap(([name, shape, nullable]) => {
    const isObject = typeof shape !== 'string' && !isList(shape)
    const own = [`\`${path}${name}\``, formOf(shape) + (nullable ? ' or null' : '')]
    return [own, ...(isObject ? memberLines(shape, `${path}${name}.`) : [])]
  })
}

function formOf(shape) {
  if (typeof shape === 'string') return kinds[shape]
  if (!isList(shape)) return 'object'
  return shape.map((value) => (value === null ? 'null' : `\`${value}\``)).join(', ')
}

function errors() {
  const codes = Object.entries(statusOf).sort(([, a], [, b]) => a - b)
  return [
    'Every code of a refusal: what it means, what helps, and who refuses with it. The body of a refusal and the order of the checks are in [Interface](interface.md#errors).',
    ...codes.map(([code, status]) =>
      [
        `## ${code} {#${code}}`,
        `**${status}**: ${meanings[code]}.`,
        `**What helps**: ${cures[code]}`,
        refusers(code),
      ].join('\n\n'),
    ),
  ].join('\n\n')
}

function refusers(code) {
  const of = routes.filter((row) => errorCodesOf(row).has(code))
  if (of.length === 0) return 'What comes before any operation answers it.'
  if (usual.has(code)) return 'Every operation may answer it.'
  if (of.length > mostNamed) return `Operations that answer it: ${of.length} of ${routes.length}.`
  const named = of.map((row) => `[${row.name}](/reference/api#${anchorOf(row)})`)
  return `Operations that answer it: ${named.join(', ')}.`
}
