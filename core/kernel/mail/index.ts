export { createPost, type Letter, type Post } from './post.ts'
export { owedMails } from './records.ts'
export { createMailHandler } from './send-mail.ts'
