import assert from 'node:assert/strict'
import test from 'node:test'
import { changeLinks, readMarkdown } from '../markdown.mjs'

const page = `# One, and \`two\`

See [\`code\`](a.md#x) and \`[no](link.md)\`, ![](b.png).
<img src="c.svg">

## Again
## Again

\`\`\`\`md
\`\`\`ts
[inside](d.md)
\`\`\`
\`\`\`\`
- \`\`\`
`

test('headings have the anchors of GitHub, repeated ones a number', () => {
  const { headings } = readMarkdown(page)
  assert.deepEqual(
    headings.map(({ anchor, line }) => [anchor, line]),
    [
      ['one-and-two', 1],
      ['again', 6],
      ['again-1', 7],
    ],
  )
})

test('links are those outside of code', () => {
  const found = readMarkdown(page).links.map(({ target, line }) => `${line} ${target}`)
  assert.deepEqual(found, ['3 a.md#x', '3 b.png', '4 c.svg'])
})

test('a block ends with a fence as long as its own', () => {
  const [block, ...more] = readMarkdown(page).blocks
  assert.equal(block.language, 'md')
  assert.equal(block.code, '```ts\n[inside](d.md)\n```')
  assert.equal(block.line, 9)
  assert.deepEqual(more, [])
  assert.throws(() => readMarkdown('```ts\n'), /line 1 has no end/)
})

test('links change where they are links', () => {
  const changed = changeLinks(page, (target) => `to/${target}`)
  assert.ok(changed.includes('[`code`](to/a.md#x) and `[no](link.md)`, ![](to/b.png)'))
  assert.ok(changed.includes('src="to/c.svg"'))
  assert.ok(changed.includes('[inside](d.md)'))
  assert.equal(
    changeLinks(page, (target) => target),
    page,
  )
})
