import type { Command } from "commander";
import { UsageError } from "../errors.ts";
import type { CommandContext } from "./context.ts";

/** `bowline completion SHELL`: a script that completes commands and flags. */
export function addCompletionCommand(program: Command, context: CommandContext): void {
  program
    .command("completion")
    .description("print a script that completes commands in a shell: bash, zsh, fish or powershell")
    .argument("<shell>", "bash, zsh, fish or powershell")
    .action((shell: string) => {
      const script = scripts[shell];
      if (script === undefined)
        throw new UsageError(`${shell} is none of ${Object.keys(scripts).join(", ")}`);
      context.output.write(script(wordsOf(program)));
    });
}

/** What may follow each command line: `create` is followed by `api` and `webhook`. */
type Words = ReadonlyMap<string, readonly string[]>;

function wordsOf(program: Command): Words {
  const words = new Map<string, string[]>();
  const visit = (command: Command, at: readonly string[]): void => {
    const commands = command.commands.filter(
      (each) => (each as unknown as { _hidden?: boolean })._hidden !== true,
    );
    const flags = command.options.filter((option) => !option.hidden).map((option) => option.long ?? "");
    words.set(at.join(" "), [...commands.map((each) => each.name()), ...flags, "--help"]);
    for (const each of commands) visit(each, [...at, each.name()]);
  };
  visit(program, []);
  return words;
}

const scripts: Readonly<Record<string, (words: Words) => string>> = {
  bash: (words) => `_bowline() {
  local path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  local words=""
  case "$path" in
${[...words].map(([path, all]) => `    "${path}") words="${all.join(" ")}" ;;\n`).join("")}  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _bowline bowline
`,
  zsh: (words) => `#compdef bowline
_bowline() {
  local at="" word
  for word in "\${words[@]:1:$((CURRENT-2))}"; do
    case "$word" in -*) ;; *) at="\${at:+$at }$word" ;; esac
  done
  case "$at" in
${[...words].map(([path, all]) => `    "${path}") compadd -- ${all.join(" ")} ;;\n`).join("")}    *) _files ;;
  esac
}
compdef _bowline bowline
`,
  fish: (words) =>
    [...words]
      .flatMap(([path, all]) => {
        const condition =
          path === "" ? "__fish_use_subcommand" : `__fish_seen_subcommand_from ${path.split(" ").at(-1)}`;
        return all.map((word) =>
          word.startsWith("--")
            ? `complete -c bowline -n '${condition}' -l ${word.slice(2)}\n`
            : `complete -c bowline -f -n '${condition}' -a ${word}\n`,
        );
      })
      .join(""),
  powershell: (words) => `Register-ArgumentCompleter -Native -CommandName bowline -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $path = ($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { "$_" -notlike "-*" -and "$_" -ne $wordToComplete }) -join " "
  $words = @{
${[...words].map(([path, all]) => `    "${path}" = "${all.join(" ")}"\n`).join("")}  }
  ($words[$path] -split " ") | Where-Object { $_ -like "$wordToComplete*" }
}
`,
};
