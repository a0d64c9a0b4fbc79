import { groupLines } from '../logs/group.ts';
import { type Command, has, noArguments } from './command.ts';

export const command: Command = {
  usage: 'group [--content] [--templates] < FILE',
  help: [
    'Reads raw log lines on stdin and prints for each the number of its group of like lines, in their order.',
    '',
    '  --content    the lines are messages, without time and level before them',
    '  --templates  prints instead each group as count, tab, template; largest first',
  ].join('\n'),
  options: { content: { type: 'boolean' }, templates: { type: 'boolean' } },
  takesSettings: false,
  async run(flags, shell) {
    noArguments(flags);
    const chunks: Buffer[] = [];
    for await (const chunk of shell.stdin) chunks.push(Buffer.from(chunk));
    const lines = Buffer.concat(chunks).toString('utf8').split('\n');
    if (lines.at(-1) === '') lines.pop();
    const { ids, templates } = groupLines(
      lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)),
      { content: has(flags, 'content') },
    );
    const out = has(flags, 'templates') ? templates.map(({ template, count }) => `${count}\t${template}`) : ids;
    if (out.length > 0) shell.out(out.join('\n'));
    return 0;
  },
};
