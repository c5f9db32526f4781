"""Given names that tell a gender, in many languages of origin.

Common knowledge, written for this purpose; names that both genders bear (Andrea,
Jean, Kim, Leslie) and names that are surnames or places as often are left out.
"""

from __future__ import annotations

MALE = frozenset(
    # English and what stands in English texts
    "Aaron Abraham Adam Adrian Alan Albert Alec Alexander Alfred Alistair Allan Allen Alvin Amos "
    "Andrew Andy Anthony Archibald Arnold Arthur Barry Bart Benjamin Bernard Bernie Bertram Bill "
    "Billy Bob Bobby Brad Bradley Brendan Brett Brian Bruce Bryan Calvin Carl Cecil Charles "
    "Charlie Chester Christopher Chuck Clarence Claude Clement Clifford Clint Clive Colin Craig "
    "Curtis Cyril Dale Damian Dan Daniel Danny Darren Dave David Dean Dennis Derek Desmond Dick "
    "Dirk Dominic Don Donald Doug Douglas Duncan Dwight Earl Ed Eddie Edgar Edmund Edward Edwin "
    "Eli Elias Elijah Ellis Elmer Elvis Emil Enoch Eric Erik Ernest Ethan Eugene Evan Ezra Felix "
    "Ferdinand Floyd Francis Frank Franklin Fred Freddie Frederick Gareth Gary Gavin Geoff "
    "Geoffrey George Gerald Gerard Gilbert Glenn Gordon Graham Grant Greg Gregory Guy Harold Harry "
    "Harvey Hector Henry Herbert Herman Horace Howard Hubert Hugh Hugo Humphrey Ian Ira Irving "
    "Isaac Isaiah Ivan Jack Jacob Jake James Jared Jason Jeff Jeffrey Jeremy Jerome Jerry Jim "
    "Jimmy Joe Joel John Johnny Jon Jonathan Joseph Joshua Julian Julius Justin Karl Keith "
    "Kenneth Ken Kevin Kurt Kyle Lance Larry Laurence Lawrence Leo Leon Leonard Leroy Lester Lewis "
    "Liam Lionel Lloyd Louis Lucas Luke Luther Malcolm Marcus Mark Martin Marty Marvin Matt "
    "Matthew Maurice Max Maxwell Melvin Michael Mick Mickey Mike Mitch Morris Moses Murray Nathan "
    "Nathaniel Ned Neil Nicholas Nick Nigel Noah Norman Oliver Orson Oscar Otto Owen Patrick Paul "
    "Percy Pete Peter Phil Philip Phillip Quentin Ralph Randolph Randy Ray Raymond Reginald Rex "
    "Richard Rick Ricky Rob Robert Rod Roderick Rodney Roger Roland Ronald Ron Ronnie Ross Roy "
    "Rudolph Rufus Rupert Russell Ryan Samuel Scott Sean Sebastian Seth Sidney Silas Simon Stan "
    "Stanley Stephen Steve Steven Stuart Ted Theodore Thomas Tim Timothy Toby Todd Tom Tommy Tony "
    "Travis Trevor Ulysses Vernon Victor Vincent Wallace Walter Warren Wayne Wilbur Wilfred "
    "Wilhelm William Willie Winston Zachary "
    # from elsewhere
    "Abdul Abdullah Ahmad Ahmed Akira Alain Alberto Aldo Aleksandr Aleksander Alejandro Alessandro "
    "Alexandre Alexei Alfredo Ali Álvaro Anatoly Anders Andreas Andrei Andrés André Andrzej Angelo "
    "Antoine Anton Antonio António Arturo Augusto Benito Bernardo Björn Bogdan Boris Carlo Carlos "
    "Cesare Christian Christoph Claudio Constantin Cristiano Dieter Diego Dimitri Dmitri Dmitry "
    "Domenico Eduard Eduardo Emilio Enrico Enrique Erich Ernesto Ernst Etienne Fabio Federico "
    "Felipe Fernando Fidel Filippo Francesco Francisco François Franco Franz Friedrich Fritz "
    "Gabriel Georg Georges Gerhard Gianni Giacomo Giorgio Giovanni Giuliano Giuseppe Gonzalo Guido "
    "Guillaume Guillermo Gunther Gustav Gustavo Hamid Hans Hasan Hassan Heinrich Heinz Helmut "
    "Hiroshi Horst Hugo Hussein Ibrahim Igor Ignacio Ismail Jacques Jaime Jakob Jan Javier Joachim "
    "Joaquín João Johan Johann Johannes Jorge José Jose Josef Juan Jürgen Kenji Khalid Klaus "
    "Konstantin Lars Leonardo Leonid Leopold Lorenzo Luca Luciano Ludwig Luigi Luis Luiz Manfred "
    "Manuel Marcel Marcello Marcelo Marco Marek Mario Massimo Mathias Matteo Matthias Mauricio "
    "Mikhail Miguel Mohamed Mohammad Mohammed Muhammad Murad Mustafa Nicola Nicolas Nikita Nikolai "
    "Olaf Omar Osman Pablo Paolo Pascal Patrice Pavel Pedro Per Petr Philippe Pierre Pietro Rafael "
    "Rahul Raj Rajiv Ramón Raúl Reinhard René Renato Ricardo Roberto Rodrigo Rolf Roman Romano "
    "Ruben Salvador Salvatore Santiago Serge Sergei Sergey Sergio Silvio Stefan Sven Takashi "
    "Thierry Tomas Tomás Umberto Uwe Vasily Viktor Vinod Vittorio Vladimir Werner Wolfgang Xavier "
    "Yasser Yuri Yves Yusuf".split()
) - {"Nicola"}

FEMALE = frozenset(
    "Abigail Ada Adele Adriana Agatha Agnes Aisha Alexandra Alice Alicia Alison Amanda Amelia Amy "
    "Ana Anastasia Angela Angelina Anita Ann Anna Anne Annette Annie Antonia Astrid Audrey Barbara "
    "Beatrice Beatrix Becky Benazir Bernadette Bertha Beth Betty Beverly Bianca Birgit Bonnie "
    "Brenda Bridget Brigitte Camilla Carla Carol Carole Caroline Carolyn Cassandra "
    "Catherine Cathy Cecilia Celia Celine Chiara Christina Christine Cindy Claire Clara Claudia "
    "Colleen Connie Constance Cristina Cynthia Daisy Daphne Deborah Debbie Deirdre Denise Diana "
    "Diane Dolores Dora Doris Dorothy Edith Eileen Elaine Eleanor Elena Elisabeth Eliza Elizabeth "
    "Ella Ellen Elsa Elsie Emily Emma Erica Erika Ernestine Esther Ethel Eugenia Eva Evelyn Faith "
    "Fatima Fiona Flora Frances Francesca Francine Frida Gabriela Gabriella Gail Gemma Genevieve "
    "Geraldine Gertrude Gillian Gina Giulia Gladys Gloria Greta Gudrun Gwen Hannah Harriet Heather "
    "Hedwig Heidi Helen Helena Henrietta Hilda Hillary Ida Ilse Imelda Indira Ingrid Irene Irina "
    "Iris Isabel Isabella Jacqueline Jane Janet Janice Jeanne Jennifer Jenny Jessica Jill Joan "
    "Joanna Josephine Joyce Juanita Judith Judy Julia Julie Juliet Karen Karin Kate Katherine "
    "Kathleen Kathryn Kathy Katie Katrina Kristen Kristin Kristina Laura Lauren Leila Lena Lillian "
    "Lily Linda Lisa Liz Lola Lorraine Louisa Louise Lucia Lucille Lucy Luisa Lydia Lynne "
    "Madeleine Magdalena Maggie Marcia Margaret Margarita Margot Maria María Marianne Marie "
    "Marilyn Marina Marjorie Marlene Marta Martha Martina Mary Matilda Maureen Maxine Megan "
    "Melanie Melinda Melissa Michelle Mildred Mina Miranda Miriam Moira Molly Monica Monika Muriel "
    "Nadia Nancy Naomi Natalia Natalie Natasha Nina Nora Norma Olga Olivia Ophelia Pamela Patricia "
    "Paula Pauline Peggy Penelope Phyllis Pippa Priscilla Rachel Raquel Rebecca Regina Rita "
    "Roberta Rosa Rosalind Rose Rosemary Rosie Roxanne Ruth Sally Samantha Sandra Sarah Sharon "
    "Sheila Shirley Silvia Simone Sofia Sonia Sonja Sophia Sophie Stella Stephanie Sue Susan "
    "Susanna Susanne Suzanne Svetlana Sylvia Tamara Tania Tanya Tatiana Teresa Tess Thelma Theresa "
    "Tina Ulrike Ursula Valentina Valerie Vanessa Vera Veronica Viola Violet Vivian Vivien Wanda "
    "Wendy Wilhelmina Winifred Yoko Yolanda Yvonne Zoe".split()
)

EITHER = frozenset(
    "Alex Andrea Ashley Britney Carmen Casey Chris Dana Drew Hilary Jackie Jamie Jean Jess Jessie "
    "Jo Jordan Kelly Kerry Kim Lee Leslie Lindsay Lou Lynn Mel Morgan Nicola Pat Paris Robin Sam "
    "Sandy Sasha Shannon Sidney Stacy Taylor Terry Tracy".split()
)
"""Given names that tell no gender; none of them is taken for a surname."""
